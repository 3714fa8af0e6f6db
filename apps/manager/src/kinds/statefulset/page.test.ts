/** Admission accepts the example on the page of this kind without a change. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  defaultGates,
  defaultStatefulSet,
  ordinalSlots,
  parseReservedOrdinals,
  statefulSetWarnings,
  validateStatefulSet,
  type StatefulSet,
} from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { parse } from 'yaml';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/statefulset.md'), 'utf8');
const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const example = parse(text) as StatefulSet & JsonObject;

describe('the example of the page', () => {
  const complete = defaultStatefulSet(example, { version: 'v1beta1', oldObject: undefined, gates: defaultGates });

  it('is admitted without a warning', () => {
    expect(validateStatefulSet(complete)).toEqual([]);
    expect(statefulSetWarnings(complete, { gates: defaultGates })).toEqual([]);
  });

  it('has the Pods that it says', () => {
    const { replicas = 0, reserveOrdinals } = example.spec;
    expect([...ordinalSlots({ start: 0, replicas, reserved: parseReservedOrdinals(reserveOrdinals).ranges })]).toEqual([0, 2, 3, 4]);
    expect(text).toContain('db-0, db-2, db-3 and db-4');
  });
});
