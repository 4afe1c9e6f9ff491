/** After an answer that ended in its middle: asks for the rest instead of a new beginning. */
export const answerCut = (why: 'connection' | 'output_limit'): string =>
  why === 'connection'
    ? '<answer_cut>\nThe connection broke in the middle of your answer. What arrived of it stands above. Go on from there; do not repeat it.\n</answer_cut>'
    : '<answer_cut>\nYour answer reached the limit of one message. What stands above was kept. Go on from there; do not repeat it, and make large changes in smaller pieces.\n</answer_cut>'
