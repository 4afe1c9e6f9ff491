/** Asks the model for the document that its successor goes on from. */

/** `focus`: a person's line on what matters. */
export const handOffPrompt = (focus: string | null): string =>
  `<hand_over_request>\nThis context window ends here. Write the hand-over document for the model that goes on with this work and sees nothing of this conversation but your document and the newest messages of the people. Call no tool; answer with the document alone. Say, in this order and briefly: what is asked for and by what rules of the people; what is done and decided, and why; what was tried and failed; where things are (paths, commands, ids, ports, figures, exact names); what is under way, half done or running; the next steps.${
    focus === null ? '' : `\nA person says what matters: ${focus}`
  }\n</hand_over_request>`
