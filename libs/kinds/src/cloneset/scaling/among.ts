/** Finds texts in lists. */

/** For fewer questions, a set costs more than it saves. */
const manyQuestions = 8;

/** Returns whether a text is in one of the lists. @param questions how often that will be asked, about */
export function among(lists: readonly (readonly string[])[], questions: number): (text: string) => boolean {
  if (questions < manyQuestions) return (text) => lists.some((list) => list.includes(text));
  const all = new Set(lists.flat());
  return (text) => all.has(text);
}
