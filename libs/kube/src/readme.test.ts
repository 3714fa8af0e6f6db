import { describe, expect, it } from '@jest/globals';
import { namespaces } from '@kruise/objects';
import { runNamespaceLabeller } from './readme.testing.ts';
import { FakeApi, FakeClock, apiFailures, isWrite, silentLogger } from './testing.ts';

describe('the example of the README', () => {
  it('labels existing and new namespaces, leaves other owners alone, and retries', async () => {
    const [clock, stop] = [new FakeClock(), new AbortController()];
    const api = new FakeApi({ clock });
    let refusals = 1;
    const connection = api.connect('controller', {
      before: (call) => {
        if (isWrite(call) && refusals-- > 0) throw apiFailures.unreachable();
      },
    });
    const ownerOf = (name: string) => api.peek(namespaces, { namespace: '', name })?.metadata.labels?.['owner'];
    api.seed(namespaces, { metadata: { name: 'first' } });
    api.seed(namespaces, { metadata: { name: 'owned', labels: { owner: 'a-team' } } });

    const run = runNamespaceLabeller(connection, { clock, logger: silentLogger() }, stop.signal);
    await clock.step(10_000);
    await api.create(namespaces, { metadata: { name: 'second' } });
    await clock.step(10_000);
    expect(['first', 'second', 'owned'].map(ownerOf)).toEqual(['nobody', 'nobody', 'a-team']);
    expect(refusals).toBeLessThan(1);

    stop.abort();
    await clock.step(60_000);
    await run;
  });
});
