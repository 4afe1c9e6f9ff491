import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

const merge = extendTailwindMerge({
  extend: { classGroups: { 'font-size': [{ text: ['2xs', 'xs', 'code', 'sm', 'base'] }] } },
})

/** Class names joined; of two that contradict each other the later wins. */
export const cn = (...classes: ClassValue[]): string => merge(clsx(classes))
