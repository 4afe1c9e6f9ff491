/** Tells the model why its turn ended before it was done, for the turn that follows. */
export const turnLimited = (why: string): string =>
  `<turn_limited>\nThe turn was ended before it was done: ${why} What was done stays done. Take it into account when you go on.\n</turn_limited>`
