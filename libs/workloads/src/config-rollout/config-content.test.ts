import { describe, expect, it } from '@jest/globals';
import { instant, type Instant } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { configContent, type ConfigState } from './config-content.ts';
import type { ConfigReference } from './config-names.ts';

const now = instant(epoch + 60_000);
const known = (digest: string): ConfigState => ({ kind: 'Known', digest });
const missing: ConfigState = { kind: 'Missing' };
const since = (seconds: number): Instant => instant(now - seconds * 1000);
const awaited = (seconds: number): ConfigState => ({ kind: 'Awaited', since: since(seconds) });
const forbidden = (seconds: number): ConfigState => ({ ...known('1'), forbiddenSince: since(seconds) });
const contents = { kind: 'Known', text: 'ConfigMap a 1\nConfigMap b 2\nSecret c 3\n' };
const references: readonly ConfigReference[] = [
  { kind: 'ConfigMap', name: 'a', isOptional: false },
  { kind: 'ConfigMap', name: 'b', isOptional: true },
  { kind: 'Secret', name: 'c', isOptional: false },
];
const contentOf = (...states: readonly ConfigState[]) =>
  configContent(references, (reference) => states[references.indexOf(reference)] ?? missing, now);
const cause = (message: string) => ({ kind: 'Unknown', cause: { reason: 'ConfigUnavailable', message } });

describe('the contents of the named objects', () => {
  it.each<{ name: string; given: readonly ConfigState[]; then: object }>([
    {
      name: 'are known',
      given: [known('1'), known('2'), known('3')],
      then: contents,
    },
    {
      name: 'are known without an optional one',
      given: [known('1'), missing, known('3')],
      then: { kind: 'Known', text: 'ConfigMap a 1\nConfigMap b \nSecret c 3\n' },
    },
    { name: 'lack one', given: [known('1'), known('2'), missing], then: cause('Secret c of annotation config-rollout does not exist') },
    {
      name: 'lack two: the first is named',
      given: [missing, missing, missing],
      then: cause('ConfigMap a of annotation config-rollout does not exist'),
    },
    { name: 'are known while the API server refuses reads for a moment', given: [forbidden(9), known('2'), known('3')], then: contents },
    {
      name: 'may no longer be read',
      given: [known('1'), { ...missing, forbiddenSince: since(10) }, awaited(20)],
      then: cause('ConfigMap b of annotation config-rollout cannot be read: the API server answers 403 Forbidden to the manager'),
    },
    {
      name: 'lack one while another may no longer be read',
      given: [forbidden(10), known('2'), missing],
      then: cause('Secret c of annotation config-rollout does not exist'),
    },
    {
      name: 'are awaited: the first end of the patience counts',
      given: [awaited(3), awaited(4), known('3')],
      then: { kind: 'Unknown', requeueAfter: 6000 },
    },
    {
      name: 'are awaited in vain',
      given: [known('1'), awaited(1), awaited(10)],
      then: cause('Secret c of annotation config-rollout cannot be read'),
    },
    {
      name: 'are awaited although one is optional',
      given: [known('1'), awaited(1), known('3')],
      then: { kind: 'Unknown', requeueAfter: 9000 },
    },
    {
      name: 'lack one while another is awaited',
      given: [awaited(1), known('2'), missing],
      then: cause('Secret c of annotation config-rollout does not exist'),
    },
  ])('that $name', ({ given, then }) => {
    expect(contentOf(...given)).toEqual(then);
  });
});
