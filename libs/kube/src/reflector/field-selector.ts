import type { KubeObject } from '@kruise/objects';

/**
 * Returns the test of a field selector such as `spec.nodeName=a,status.phase!=Failed` over the objects of a store. An absent field counts as ''.
 * Throws for a text that is no field selector.
 */
export function parseFieldSelector(text: string): (object: KubeObject) => boolean {
  const terms = text
    .split(',')
    .filter((term) => term.trim() !== '')
    .map(parseTerm);
  return (object) => terms.every((term) => term(object));
}

function parseTerm(term: string): (object: KubeObject) => boolean {
  const parts = /^\s*([A-Za-z][\w.]*)\s*(!=|==|=)\s*(.*?)\s*$/.exec(term);
  if (parts === null) throw new Error(`not a field selector: ${JSON.stringify(term)}`);
  const [path, operator, value] = parts.slice(1) as [string, string, string];
  const steps = path.split('.');
  return (object) => (fieldAt(object, steps) === value) === (operator !== '!=');
}

function fieldAt(object: KubeObject, steps: readonly string[]): string {
  let value: unknown = object;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return '';
    value = (value as Record<string, unknown>)[step];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
