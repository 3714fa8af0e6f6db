import { describe, expect, it } from '@jest/globals';
import { keyOf, pods, type Pod } from '@kruise/objects';
import { newClock, newFakeApi } from '../../module/controller-process.testing.ts';
import { execute } from './execute.ts';

const { signal } = new AbortController();

describe('replacing images of sidecars', () => {
  const bare: Pod = { metadata: { name: 'job-1', namespace: 'default' }, spec: { containers: [{ name: 'agent', image: 'agent:1' }] } };
  const action = { kind: 'ReplaceImages', images: { agent: 'exit:1' }, sidecars: ['agent'], because: 'on a virtual node' } as const;

  it.each<{ name: string; changed: string | undefined; then: string }>([
    { name: 'changes the Pod that was looked at', changed: undefined, then: 'exit:1' },
    { name: 'overwrites no image that another client set meanwhile', changed: 'agent:2', then: 'agent:2' },
  ])('$name', async ({ changed, then }) => {
    const clock = newClock();
    const api = newFakeApi(clock);
    const seen = api.seed(pods, bare);
    if (changed !== undefined) api.seed(pods, { ...seen, spec: { containers: [{ name: 'agent', image: changed }] } });
    const reported: unknown[] = [];
    const events = { terminating: (...what: unknown[]) => void reported.push(what) } as never;
    const done = execute(action, seen, { client: api.connect('manager'), clock, events }, signal);
    await (changed === undefined ? done : expect(done).rejects.toMatchObject({ failure: { kind: 'Conflict' } }));
    expect(api.peek(pods, keyOf(seen))?.spec.containers[0]?.image).toBe(then);
    expect(reported).toHaveLength(changed === undefined ? 1 : 0);
  });
});
