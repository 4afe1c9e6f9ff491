/**
 * Runs in the browser before any other code of ours. The content security policy forbids code made from text, which zod
 * would try; it is told not to, so that a report of the policy always means something.
 */
import { config } from 'zod'
import { noteTransition } from './client/address-bar.ts'

config({ jitless: true })

export const onRouterTransitionStart = noteTransition
