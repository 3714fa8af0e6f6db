/** What a Pod's annotation says of the WorkloadSpread and subset that it belongs to. Pure. @see spec/workloadspread.md 3 */
import { workloadSpreadAnnotations } from '@kruise/api';
import { memberAt, parseJsonText, type Pod } from '@kruise/objects';

export interface Matched {
  readonly name: string;
  readonly subset: string;
  /** Under which it was counted when it was created; absent when it had a name then. */
  readonly uid?: string | undefined;
}

const key = workloadSpreadAnnotations.matched;

/** As the original writes it, byte for byte. */
export const formatMatched = ({ name, subset, uid }: Matched): string => JSON.stringify({ name, subset, uid });

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

/** Undefined without the annotation, and for one that names nothing. */
export function matchedOf({ metadata }: Pick<Pod, 'metadata'>): Matched | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined) return undefined;
  const value = parsed(text);
  const [name, subset, uid] = ['name', 'subset', 'uid'].map((member) => memberAt(value, member));
  if (typeof name !== 'string' || name === '' || typeof subset !== 'string' || subset === '') return undefined;
  return { name, subset, ...(typeof uid === 'string' && uid !== '' ? { uid } : {}) };
}

/** The key of a Pod in `creatingPods` of its subset. */
export const countedAs = (pod: Pick<Pod, 'metadata'>): string => matchedOf(pod)?.uid ?? pod.metadata.name;
