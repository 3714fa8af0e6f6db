import { describe, expect, it } from '@jest/globals';
import { persistentPodStateWhiteListKey as key } from '@kruise/api';
import { listedKind, readWhiteList } from './white-list.ts';

const read = (text?: string) => readWhiteList({ metadata: { name: 'c' }, ...(text === undefined ? {} : { data: { [key]: text } }) }, key);
const kinds = [{ group: 'g', version: 'v1', kind: 'K' }];

describe('the white list', () => {
  it.each<{ name: string; text: string | undefined; then: unknown }>([
    { name: 'is empty without the key', text: undefined, then: [] },
    { name: 'is empty without text', text: '', then: [] },
    { name: 'is empty without workloads', text: '{}', then: [] },
    { name: 'may be null', text: '{"workloads":null}', then: [] },
    { name: 'names kinds', text: '{"workloads":[{"Group":"g","Version":"v1","Kind":"K"}]}', then: kinds },
    { name: 'names kinds in any case', text: '{"WORKLOADS":[{"group":"g","vErsion":"v1","kind":"K"}]}', then: kinds },
    {
      name: 'names the kinds between a workload and its Pods, and the path of the number of its Pods',
      text: '{"workloads":[{"Group":"g","Version":"v1","Kind":"K","SubResources":[{"kind":"L"}],"ReplicasPath":"spec.size"}]}',
      then: [{ ...kinds[0], subResources: [{ group: '', version: '', kind: 'L' }], replicasPath: 'spec.size' }],
    },
    { name: 'may name kinds of the core group', text: '{"workloads":[{"Version":"v1","Kind":"K"}]}', then: [{ ...kinds[0], group: '' }] },
  ])('$name', ({ text, then }) => {
    expect(read(text)).toEqual({ kind: 'Read', kinds: then });
  });

  it('is empty without the ConfigMap', () => {
    expect(readWhiteList(undefined, key)).toEqual({ kind: 'Read', kinds: [] });
  });

  it.each([
    ['{', 'is not JSON'],
    ['[]', 'is not an object'],
    ['{"workloads":{}}', 'has no list of workloads'],
    ['{"workloads":["K"]}', 'number 0'],
    ['{"workloads":[{"Kind":"K"},{"Kind":7}]}', 'number 1'],
    ['{"workloads":[{"Kind":"K","subResources":{}}]}', 'number 0'],
    ['{"workloads":[{"Kind":"K","subResources":[7]}]}', 'number 0'],
    ['{"workloads":[{"Kind":"K","replicasPath":7}]}', 'number 0'],
  ])('that cannot be read says why: %s', (text, why) => {
    const reading = read(text);
    expect(reading).toMatchObject({ kind: 'Faulty', why: expect.stringContaining(why) });
    expect(reading).toHaveProperty('why', expect.stringContaining(key));
  });

  it('does not look at versions', () => {
    expect(listedKind(kinds, { group: 'g', kind: 'K' })).toEqual(kinds[0]);
    expect([listedKind(kinds, { group: 'h', kind: 'K' }), listedKind(kinds, { group: 'g', kind: 'L' })]).toEqual([undefined, undefined]);
  });
});
