/** Which findings a file asks to ignore: by comments `# kruise-lint: ignore=KR101,KR102`, or by an annotation of the object. */
import { isLintId, type LintId } from '@kruise/insight/lint';
import { metadataValue, type JsonObject } from '@kruise/objects';

/** Its value is a list of ids. */
const ignoreAnnotation = 'kubectl-kruise/lint-ignore';

const comment = /#\s*kruise-lint:\s*ignore=([\w, ]+)/;

/** One comment. */
export interface IgnoreComment {
  /** Beginning with 1. */
  readonly line: number;
  readonly ids: readonly string[];
}

const idsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((id) => id !== '');

/** Returns the comments of a text, by line. */
export const ignoreComments = (text: string): readonly IgnoreComment[] =>
  text.includes('kruise-lint')
    ? text.split('\n').flatMap((content, i) => {
        const found = comment.exec(content);
        return found === null ? [] : [{ line: i + 1, ids: idsOf(found[1] ?? '') }];
      })
    : [];

export const annotatedIds = (object: JsonObject): readonly string[] => idsOf(metadataValue(object, 'annotations', ignoreAnnotation) ?? '');

/** Returns those that are no ids of findings. */
export const unknownIds = (ids: readonly string[]): readonly string[] => ids.filter((id) => !isLintId(id));

/** Where an object is in its file. */
export interface Extent {
  readonly firstLine: number;
  readonly comments: readonly IgnoreComment[];
  readonly annotated: readonly string[];
}

/**
 * Returns whether a finding is ignored. A comment before the first line of an object applies to all of the object; another one to its own line and
 * the line after it.
 */
export function isIgnored(id: LintId, line: number, { firstLine, comments, annotated }: Extent): boolean {
  const applies = (comment: IgnoreComment): boolean => comment.line < firstLine || comment.line === line || comment.line === line - 1;
  return annotated.includes(id) || comments.some((one) => one.ids.includes(id) && applies(one));
}
