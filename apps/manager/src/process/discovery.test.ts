import { describe, expect, it } from '@jest/globals';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { discoverKinds, isAmong, KnownKinds, type InstalledKinds } from './discovery.ts';

const served = (...kinds: readonly string[]): object => ({ resources: kinds.map((kind) => ({ name: `${kind.toLowerCase()}s`, kind })) });
const never = new AbortController().signal;

function cluster(): { readonly api: FakeApi; readonly serve: (version: string, ...kinds: readonly string[]) => void } {
  const api = new FakeApi();
  return { api, serve: (version, ...kinds) => api.rawAnswers.set(`/apis/apps.kruise.io/${version}`, served(...kinds)) };
}

/** Runs discovery until the test ends; `reported` lists what it has reported so far. */
async function watching(
  api: FakeApi,
): Promise<{ readonly clock: FakeClock; readonly known: KnownKinds; readonly reported: InstalledKinds[]; readonly stop: AbortController }> {
  const [clock, stop, reported] = [new FakeClock(), new AbortController(), [] as InstalledKinds[]];
  const known = new KnownKinds(await discoverKinds(api, clock, never), { client: api, clock, logger: silentLogger() });
  void known.run((kinds) => reported.push(kinds), stop.signal);
  return { clock, known, reported, stop };
}

describe('the kinds of this cluster', () => {
  it('are those of ours that are served, in each version; a missing group version has none', async () => {
    const { api, serve } = cluster();
    serve('v1beta1', 'CloneSet', 'CloneSet', 'Scale');
    serve('v1alpha1', 'CloneSet', 'EphemeralJob', 'Foreign');
    const kinds = await discoverKinds(api, new FakeClock(), never);
    expect(kinds).toEqual(['apps.kruise.io/v1beta1/CloneSet', 'apps.kruise.io/v1alpha1/CloneSet', 'apps.kruise.io/v1alpha1/EphemeralJob']);
    expect(isAmong(kinds)('apps.kruise.io', 'v1beta1', 'CloneSet')).toBe(true);
    expect(isAmong(kinds)('apps.kruise.io', 'v1beta1', 'EphemeralJob')).toBe(false);
  });

  it('that are installed later are found within a minute, and abort the signal of the former set', async () => {
    const { api, serve } = cluster();
    const { clock, known, reported, stop } = await watching(api);
    const before = known.now;
    expect(before.kinds).toEqual([]);
    serve('v1beta1', 'CloneSet');
    await clock.step(59_000);
    expect(reported).toEqual([]);
    await clock.step(1000);
    expect(reported).toEqual([['apps.kruise.io/v1beta1/CloneSet']]);
    expect(before.outdated.aborted).toBe(true);
    expect(known.now).toMatchObject({ kinds: ['apps.kruise.io/v1beta1/CloneSet'], outdated: { aborted: false } });
    stop.abort();
  });

  it('are discovered soon after a CRD has changed, once for simultaneous changes', async () => {
    const { api, serve } = cluster();
    const { clock, known, reported, stop } = await watching(api);
    serve('v1beta1', 'CloneSet');
    known.lookSoon();
    await clock.step(1000);
    known.lookSoon();
    serve('v1beta1', 'CloneSet', 'SidecarSet');
    await clock.step(2000);
    expect(reported.map((kinds) => kinds.length)).toEqual([2]);
    known.lookSoon();
    await clock.step(10_000);
    expect(reported).toHaveLength(1);
    stop.abort();
  });

  it('stay known when a server that starts does not list them, and when it does not answer', async () => {
    const { api, serve } = cluster();
    serve('v1beta1', 'CloneSet', 'SidecarSet');
    const { clock, known, reported, stop } = await watching(api);
    serve('v1beta1', 'CloneSet');
    await clock.step(60_000);
    api.faults = { before: ({ verb }) => (verb === 'raw' ? Promise.reject(new Error('no answer')) : undefined) };
    await clock.step(60_000);
    expect(reported).toEqual([]);
    expect(known.now.kinds).toHaveLength(2);
    stop.abort();
  });

  it('are discovered again after 0.5, 2.5 and 12.5 s when the server does not answer', async () => {
    const { api, serve } = cluster();
    const clock = new FakeClock();
    serve('v1beta1', 'CloneSet');
    api.faults = { before: ({ verb }) => (verb === 'raw' ? Promise.reject(new Error('no answer')) : undefined) };
    const found = discoverKinds(api, clock, never);
    await clock.step(500);
    await clock.step(2500);
    await clock.step(12_499);
    api.faults = {};
    await clock.step(1);
    expect(await found).toEqual(['apps.kruise.io/v1beta1/CloneSet']);
  });

  it('are unknown, and the last failure is thrown, when the server has not answered four times', async () => {
    const { api } = cluster();
    const clock = new FakeClock();
    let answers = 0;
    api.faults = { before: ({ verb }) => (verb === 'raw' ? Promise.reject(new Error(`no answer ${++answers}`)) : undefined) };
    const found = discoverKinds(api, clock, never);
    const refused = expect(found).rejects.toThrow(/^no answer/);
    for (const delay of [500, 2500, 12_500]) await clock.step(delay);
    await refused;
    // Three group versions are read each time.
    expect(answers).toBe(4 * 3);
  });

  it('are not discovered again once the process stops', async () => {
    const { api } = cluster();
    const stop = new AbortController();
    let answers = 0;
    api.faults = {
      before: ({ verb }) => {
        if (verb !== 'raw') return undefined;
        answers++;
        stop.abort();
        return Promise.reject(new Error('no answer'));
      },
    };
    await expect(discoverKinds(api, new FakeClock(), stop.signal)).rejects.toThrow();
    expect(answers).toBe(3);
  });
});
