/** Tells the model that the server was restarted in the middle of its turn. */
export const turnResumed = (): string =>
  '<server_restarted>\nThe server was restarted while you worked. Calls whose result was lost are marked as interrupted: look at what they did before you repeat them. Commands that were running in a session may still run.\n</server_restarted>'
