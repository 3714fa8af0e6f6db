import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors } from '@kruise/objects';
import { validatePatchedAnnotations } from './white-list.ts';

const rules = (...list: readonly object[]): string => JSON.stringify({ rules: list });
const patching = (...keys: readonly string[]) => ({
  metadata: { labels: { team: 'mesh' } },
  spec: { patchPodMetadata: keys.map((key) => ({ annotations: { [key]: 'x' }, patchPolicy: 'Retain' })) },
});

describe('the white list of annotations', () => {
  it.each<{ name: string; keys: readonly string[]; text: string | undefined; allowed?: boolean; then: string }>([
    { name: 'says nothing of sets without patches', keys: [], text: undefined, then: '' },
    {
      name: 'is needed',
      keys: ['a'],
      text: undefined,
      then: 'spec.patchPodMetadata: Required value: SidecarSet patch metadata whitelist not found',
    },
    { name: 'is not needed with the gate', keys: ['a'], text: undefined, allowed: true, then: '' },
    {
      name: 'must be JSON',
      keys: ['a'],
      text: '{',
      then: 'spec.patchPodMetadata: Internal error: SidecarSet patch metadata whitelist is no valid JSON',
    },
    {
      name: 'must have legal expressions',
      keys: ['a'],
      text: rules({ allowedAnnotationKeyExprs: ['('] }),
      then: 'spec.patchPodMetadata: Internal error: SidecarSet patch metadata whitelist: "(": error parsing regexp: missing closing )',
    },
    {
      name: 'allows what an expression matches anywhere',
      keys: ['my.key'],
      text: rules({ allowedAnnotationKeyExprs: ['x', 'key'] }),
      then: '',
    },
    {
      name: 'forbids the rest',
      keys: ['my.key', 'other'],
      text: rules({ allowedAnnotationKeyExprs: ['key$'] }),
      then: 'spec.patchPodMetadata: Required value: sidecarSet patch metadata annotation(other) is not allowed',
    },
    {
      name: 'forbids the rest even with the gate',
      keys: ['other'],
      text: rules({ allowedAnnotationKeyExprs: ['key$'] }),
      allowed: true,
      then: 'spec.patchPodMetadata: Required value: sidecarSet patch metadata annotation(other) is not allowed',
    },
    {
      name: 'has rules for sets with labels',
      keys: ['a'],
      text: rules({ selector: { matchLabels: { team: 'mesh' } }, allowedAnnotationKeyExprs: ['a'] }),
      then: '',
    },
    {
      name: 'has no rule for the set',
      keys: ['a'],
      text: rules({ selector: { matchLabels: { team: 'log' } }, allowedAnnotationKeyExprs: ['a'] }),
      then: 'spec.patchPodMetadata: Required value: sidecarSet patch metadata annotation is not allowed',
    },
    ...[
      { MatchLabels: { team: 'log' } },
      { MATCHEXPRESSIONS: [{ key: 'team', operator: 'DoesNotExist' }] },
      { matchLabels: { 'a b': 'c' } },
      'team=mesh',
    ].map((selector) => ({
      name: `has no rule for the set with the selector ${JSON.stringify(selector)}`,
      keys: ['a'],
      text: rules({ selector, allowedAnnotationKeyExprs: ['a'] }),
      then: 'spec.patchPodMetadata: Required value: sidecarSet patch metadata annotation is not allowed',
    })),
    ...['{"rules":{}}', '{"rules":[{"allowedAnnotationKeyExprs":"a"}]}'].map((text) => ({
      name: `takes for empty what is no list: ${text}`,
      keys: ['a'],
      text,
      then: 'spec.patchPodMetadata: Required value: sidecarSet patch metadata annotation is not allowed',
    })),
    { name: 'may have rules that are none', keys: ['a'], text: '{"rules":[null,"x",{"allowedAnnotationKeyExprs":["a"]}]}', then: '' },
    {
      name: 'must have expressions that are texts',
      keys: ['a'],
      text: '{"rules":[{"allowedAnnotationKeyExprs":[5]}]}',
      then: 'spec.patchPodMetadata: Internal error: SidecarSet patch metadata whitelist: 5: error parsing regexp: missing closing )',
    },
    ...['[]', 'null'].map((text) => ({
      name: `must be an object: ${text}`,
      keys: ['a'],
      text,
      then: 'spec.patchPodMetadata: Internal error: SidecarSet patch metadata whitelist is no valid JSON',
    })),
    { name: 'has no rule for the set, which the gate allows', keys: ['a'], text: rules(), allowed: true, then: '' },
    {
      name: 'is read whatever the case of its members',
      keys: ['a'],
      text: '{"Rules":[{"Selector":null,"AllowedAnnotationKeyExprs":["a"],"x":1}]}',
      then: '',
    },
  ])('$name', ({ keys, text, allowed = false, then }) => {
    const faults = formatFieldErrors(validatePatchedAnnotations(patching(...keys), { text, defaultsAllowed: allowed }));
    expect(faults).toBe(then);
  });
});
