/** The examples of the page of this kind are admitted as shown. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  persistentPodStateWarnings,
  persistentPodStateWhiteListKey,
  validatePersistentPodState,
  type PersistentPodState,
} from '@kruise/api';
import type { ConfigMap, JsonObject, KubeObject } from '@kruise/objects';
import { parse } from 'yaml';
import { readWhiteList } from '@kruise/workloads';
import { asksForState, isStatefulSet } from '@kruise/kinds/persistentpodstate';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/persistent-pod-state.md'), 'utf8');
const [workload, state, config] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text) as KubeObject);

describe('the examples of the page', () => {
  it('are a workload that requests a record', () => {
    expect(asksForState(workload as KubeObject)).toBe(true);
  });

  it('are a record by hand for another workload, admitted without a warning', () => {
    const byHand = state as PersistentPodState & JsonObject;
    const faults = validatePersistentPodState(byHand, { supported: isStatefulSet, oldObject: undefined, others: [] });
    expect(faults).toEqual([]);
    expect(persistentPodStateWarnings(byHand)).toEqual([]);
    // The record of that workload is generated, and a second one would be refused.
    expect(byHand.spec.targetRef.name).not.toBe(workload?.metadata.name);
  });

  it('are a white list that is understood', () => {
    expect(readWhiteList(config as ConfigMap, persistentPodStateWhiteListKey)).toEqual({
      kind: 'Read',
      kinds: [{ group: 'game.example.com', version: 'v1', kind: 'GameServerSet' }],
    });
  });
});
