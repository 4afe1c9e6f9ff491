/** Told once a window: that little of it is left, and that it is full. */

/** `remaining`: tokens before the limit. */
export const windowReminder = (remaining: number): string =>
  `<context_reminder>\nAbout ${remaining} tokens are left in this context window. Bring your notes up to date now: goal, decisions, what is done, what was tried and failed, next steps, and the ids of items you will need. Remove what is no longer true. Then call new_context when you are at a good place to go on from.\n</context_reminder>`

export const windowFull = (): string =>
  '<context_full>\nThis context window is full. Do not go on with the task and do not answer yet: save what is not in your notes with one notes_append or notes_write, then call new_context. A new window comes by itself if you do not.\n</context_full>'

/** `why`: what the last note write failed with. */
export const noteNotSaved = (why: string): string =>
  `<context_not_renewed>\nNo new window was started: a note of yours was not saved (${why}). Save it first, then call new_context again.\n</context_not_renewed>`

/** `why`: what a new window would begin with, and how much of it fits. */
export const windowWouldNotFit = (why: string): string =>
  `<context_not_renewed>\nNo new window was started, since it would be full from its start (${why}). Go on in this one, and tell the person what takes the room.\n</context_not_renewed>`
