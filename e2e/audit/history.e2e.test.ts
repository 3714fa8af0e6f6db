/** What all tests before have made of StatefulSets, at every moment and not only at their ends. @see tools/history/rules.ts */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Change } from '../../tools/history/change.ts';
import { brokenRules, type AskedDeletion } from '../../tools/history/rules.ts';
import { auditEvents } from '../support/rights.ts';

function recordedChanges(): readonly Change[] {
  const path = process.env['KRUISE_E2E_HISTORY'];
  if (path === undefined) throw new Error('KRUISE_E2E_HISTORY is not set: these tests run with `npm run e2e`');
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Change);
}

/** Deletions of Pods and claims, with how they were requested. */
const askedDeletions = (): readonly AskedDeletion[] =>
  auditEvents().flatMap(({ verb, objectRef, requestObject }) =>
    verb === 'delete' && requestObject !== undefined
      ? [
          {
            resource: objectRef?.resource ?? '',
            namespace: objectRef?.namespace ?? '',
            name: objectRef?.name ?? '',
            options: requestObject,
          },
        ]
      : [],
  );

describe('the history of StatefulSets, their Pods and their claims', () => {
  it('breaks no rule at any moment', () => {
    const [changes, deletions] = [recordedChanges(), askedDeletions()];
    const seen = (kind: Change['kind']): number => changes.filter((change) => change.kind === kind && change.event === 'ADDED').length;
    // So that a recorder that has seen nothing does not pass.
    expect([seen('StatefulSet') > 10, seen('Pod') > 100, seen('PersistentVolumeClaim') > 5, deletions.length > 20]).toEqual(
      Array(4).fill(true),
    );
    expect(brokenRules(changes, deletions)).toEqual([]);
  });
});
