/** Text that any vendor takes: well-formed Unicode without NUL. */

/** Lone surrogates become U+FFFD, NUL too; everything else stays as it is. */
export const readableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
