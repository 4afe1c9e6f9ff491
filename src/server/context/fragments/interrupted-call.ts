/** What stands where a call's result would stand when there will never be one. Every call gets an answer: vendors refuse a window in which one is missing. */

/** `why`: what ended it, for the model. `seconds`: how long it ran; absent when nobody knows. */
export const interruptedCall = (why: string, seconds?: number): string =>
  seconds === undefined ? `interrupted: ${why}` : `interrupted after ${seconds.toFixed(1)} s: ${why}`
