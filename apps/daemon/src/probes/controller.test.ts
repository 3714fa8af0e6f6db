/** Controller and workers against a scripted runtime over a real socket and a fake API server. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodePodProbes } from '@kruise/api';
import { CountingChannel, ScriptedFailure, ScriptedRuntime } from '@kruise/cri/testing';
import { agentLimits } from '@kruise/objects';
import { aNodePod, runContainer } from '../testing.ts';
import { exec, probeKey as key, ProbesFixture } from './fixture.testing.ts';

let fixture: ProbesFixture;
beforeEach(async () => {
  fixture = new ProbesFixture();
  await fixture.begin();
});
afterEach(() => fixture.end());

const fail = (code: number, message: string): never => {
  throw new ScriptedFailure(code, message);
};
const answer = (exitCode: number, stdout: string, stderr = '') => ({ stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), exitCode });

describe('probes of a node', () => {
  it('run, and their results are written once each, with one event for each change', async () => {
    fixture.runtime.on('ExecSync', (request) =>
      (request as { cmd: string[] }).cmd[0] === 'good' ? answer(0, 'fine') : answer(1, '', 'broken'),
    );
    await fixture.list({ a: exec('good'), b: exec('bad') });
    await fixture.until('m#a=Succeeded fine', 'm#b=Failed broken');
    expect(await fixture.status()).toEqual(['web/m#a=Succeeded', 'web/m#b=Failed']);
    const writes = fixture.api.calls.length;
    await fixture.write();
    expect(fixture.api.calls).toHaveLength(writes);
    expect(fixture.events.filter((event) => !event.endsWith(': ')).sort()).toEqual([
      'Normal KruiseProbeFailed: broken',
      'Normal KruiseProbeSucceeded: fine',
    ]);
  });

  it('start again from Unknown with a new instance of the container', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded fine');
    fixture.runtime.on('ExecSync', () => fail(2, 'not now'));
    fixture.runApp('app-2', '2000');
    await fixture.until('m#a=Unknown');
    fixture.runtime.on('ExecSync', () => answer(0, 'again'));
    await fixture.until('m#a=Succeeded again');
  });

  it('show a new transition for a new instance that succeeds before its Unknown is written', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded fine');
    await fixture.write();
    const shown = async () => (await fixture.api.get(nodePodProbes, key)).status?.podProbeStatuses?.[0]?.probeStates?.[0];
    const before = await shown();
    fixture.runApp('app-2', '2000');
    for (let second = 0; second < 3; second++) await fixture.pass();
    await fixture.write();
    const after = await shown();
    expect([before?.state, after?.state]).toEqual(['Succeeded', 'Succeeded']);
    expect(Date.parse(after?.lastTransitionTime ?? '')).toBeGreaterThan(Date.parse(before?.lastTransitionTime ?? ''));
  });

  it('continue from the status when the agent starts again: Unknown is never shown', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded fine');
    await fixture.pass();
    await fixture.write();
    const [writes, events] = [fixture.api.calls.length, fixture.events.length];
    fixture.runtime.on('ExecSync', () => fail(13, 'internal'));
    await fixture.restart();
    for (let second = 0; second < 5; second++) {
      await fixture.pass();
      expect(await fixture.status()).toEqual(['web/m#a=Succeeded']);
    }
    expect(fixture.states()).toEqual(['m#a=Succeeded fine']);
    expect(fixture.api.calls.slice(writes).filter(({ verb }) => verb !== 'get')).toEqual([]);
    expect(fixture.events.slice(events)).toEqual([]);
    fixture.runtime.on('ExecSync', () => answer(1, '', 'broken'));
    await fixture.until('m#a=Failed broken');
  });

  it('start from Unknown when the container was recreated while the agent was stopped', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded fine');
    await fixture.write();
    fixture.runtime.on('ExecSync', () => fail(13, 'internal'));
    await fixture.restart(() => fixture.runApp('app-2', String((fixture.clock.now() + 1000) * 1_000_000)));
    await fixture.until('m#a=Unknown');
    expect(await fixture.status()).toEqual(['web/m#a=Unknown']);
  });

  it("are run by the Pod's own runtime, whichever others the node has", async () => {
    const other = new ScriptedRuntime({ socket: join(fixture.folder, 'other.sock') });
    await other.start();
    const connection = new CountingChannel(other.socket);
    fixture.runtimes.unshift({ name: 'cri-o', version: '1', socket: other.socket, connection });
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    await fixture.restart();
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded fine');
    const asked = other.callsOf('ListContainers').length;
    expect(asked).toBeGreaterThan(0);
    const { status = {} } = aNodePod();
    fixture.observe({ ...fixture.pod, metadata: { ...fixture.pod.metadata, resourceVersion: '999' }, status });
    fixture.runtime.on('ExecSync', () => answer(0, 'the kubelet says whose it is'));
    await fixture.until('m#a=Succeeded the kubelet says whose it is');
    expect(other.calls).toHaveLength(asked);
    connection.close();
    await other.stop();
  });

  it('report that a container does not run', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded fine');
    const held = fixture.runtime.containers.get('app-1')!;
    fixture.runtime.containers.set('app-1', { ...held, state: 'CONTAINER_EXITED' });
    await fixture.until('m#a=Failed Container(app) is Non-running');
  });

  it('keep their result when the runtime cannot answer, and fail in time', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded fine');
    const ran = fixture.runtime.callsOf('ExecSync').length;
    fixture.runtime.on('ExecSync', () => fail(13, 'internal'));
    for (let second = 0; second < 3; second++) await fixture.pass();
    expect(fixture.runtime.callsOf('ExecSync')).toHaveLength(ran + 3);
    expect(fixture.states()).toEqual(['m#a=Succeeded fine']);
    fixture.runtime.on('ExecSync', () => fail(4, 'deadline'));
    await fixture.until('m#a=Failed command timed out: "x" timed out after 1s');
  });

  it('apply another command immediately, and end when they are no longer listed', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded fine');
    fixture.runtime.on('ExecSync', () => fail(13, 'internal'));
    await fixture.list({ a: exec('y') });
    expect(fixture.states()).toEqual(['m#a=Unknown']);
    await fixture.list({});
    expect([fixture.states(), await fixture.status()]).toEqual([[], []]);
  });

  it('beyond the bound of a Pod are not run, and report that once', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    const names = Array.from({ length: agentLimits.probesOfPod.value + 1 }, (_, i) => `p${i}`);
    const last = `m#p${agentLimits.probesOfPod.value}`;
    await fixture.list(Object.fromEntries(names.map((name) => [name, exec(name)])));
    await fixture.until(
      ...names.slice(0, -1).map((name) => `m#${name}=Succeeded fine`),
      `${last}=Unknown not run: the Pod has more than 32 probes`,
    );
    await fixture.status();
    const writes = fixture.api.calls.length;
    await fixture.pass();
    await fixture.write();
    expect(fixture.api.calls).toHaveLength(writes);
    expect(fixture.events.filter((event) => event.includes('not run'))).toEqual([
      'Normal KruiseProbeFailed: not run: the Pod has more than 32 probes',
    ]);
    await fixture.list({ [`p${agentLimits.probesOfPod.value}`]: exec('x') });
    await fixture.until(`${last}=Succeeded fine`);
  });

  it('with different output each time are written once a minute, a new state immediately', async () => {
    let runs = 0;
    fixture.runtime.on('ExecSync', () => answer(0, `run ${runs++}`));
    await fixture.list({ a: exec('x') });
    await fixture.until('m#a=Succeeded run 0');
    const shown = new Set<string>();
    for (let second = 0; second < 62; second++) {
      await fixture.pass();
      for (const state of fixture.states()) shown.add(state);
    }
    expect([...shown]).toEqual(['m#a=Succeeded run 0', 'm#a=Succeeded run 60']);
    fixture.runtime.on('ExecSync', () => answer(1, '', 'broken'));
    await fixture.pass();
    expect(fixture.states()).toEqual(['m#a=Failed broken']);
  });

  it('that fail and succeed in turns are written at most 30 times a minute', async () => {
    let runs = 0;
    fixture.runtime.on('ExecSync', () => answer(runs++ % 2, ''));
    await fixture.list({ a: exec('x') });
    const before = fixture.api.calls.length;
    for (let second = 0; second < 60; second++) {
      await fixture.pass();
      await fixture.write();
    }
    expect(runs).toBeGreaterThan(55);
    expect(fixture.api.calls.slice(before).filter(({ verb }) => verb === 'update').length).toBeLessThanOrEqual(30);
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('continue when the wall clock jumps %s', async (_direction, length) => {
    let runs = 0;
    fixture.runtime.on('ExecSync', () => answer(0, `run ${runs++}`));
    fixture.runApp('app-2', String(fixture.clock.now() * 1_000_000));
    fixture.clock.jumpWallClock(length);
    await fixture.list({ a: { ...exec('x'), initialDelaySeconds: 3 } });
    await fixture.until('m#a=Succeeded run 0');
    const before = runs;
    fixture.clock.jumpWallClock(length);
    for (let second = 0; second < 3; second++) await fixture.pass();
    expect(runs).toBe(before + 3);
  });

  it('run only in Pods of this node', async () => {
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    const stranger = { ...fixture.pod, metadata: { ...fixture.pod.metadata, name: 'other', uid: 'stranger' } };
    runContainer(fixture.runtime, stranger, { id: 'other-1' });
    const held = await fixture.api.get(nodePodProbes, key);
    const entry = {
      name: 'other',
      namespace: 'default',
      uid: 'stranger',
      IP: '',
      probes: [{ name: 'm#a', containerName: 'app', probe: exec('x') }],
    };
    fixture.workers.sync({ ...held, spec: { podProbes: [entry] } });
    for (let second = 0; second < 10; second++) await fixture.pass();
    expect(fixture.runtime.calls).toEqual([]);
  });

  it('run without a watch of Pods, when the runtime has a sandbox of exactly that Pod', async () => {
    await fixture.end();
    fixture = new ProbesFixture({ watched: false });
    await fixture.begin();
    fixture.runtime.on('ExecSync', () => answer(0, 'fine'));
    const entry = fixture.entry({ a: exec('x') });
    await fixture.ask(
      entry,
      { ...entry, namespace: 'other', uid: 'stranger' },
      { ...entry, name: 'api', probes: [{ ...entry.probes![0]!, name: 'm#b' }] },
    );
    await fixture.until('m#a=Succeeded fine');
    expect(await fixture.status()).toEqual(['web/m#a=Succeeded']);
    expect(fixture.events).toContain('Normal KruiseProbeSucceeded: fine');
  });
});
