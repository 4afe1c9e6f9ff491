/** Tells the model that a person stopped it, so that it does not take the stop for a failure. */
export const turnInterrupted = (): string =>
  '<turn_interrupted>\nThe person stopped this turn on purpose. Calls without a result were stopped where they were and may have been carried out in part; commands that had been handed back as sessions go on. Wait for what the person says next; look at the state of things before you go on.\n</turn_interrupted>'
