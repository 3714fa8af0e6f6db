/** Controller and workers against a scripted runtime over a real socket and a fake API server. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodePodProbes } from '@kruise/api';
import { CountingChannel, ScriptedFailure, ScriptedRuntime } from '@kruise/cri/testing';
import { agentLimits } from '@kruise/objects';
import { aNodePod, runContainer } from '../testing.ts';
import { exec, probeKey as key, ProbeWorld } from './probe-world.testing.ts';

let world: ProbeWorld;
beforeEach(async () => {
  world = new ProbeWorld();
  await world.begin();
});
afterEach(() => world.end());

const fail = (code: number, message: string): never => {
  throw new ScriptedFailure(code, message);
};
const answer = (exitCode: number, stdout: string, stderr = '') => ({ stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), exitCode });

describe('probes of a node', () => {
  it('run, and their results are written once each, with one event for each change', async () => {
    world.runtime.on('ExecSync', (request) =>
      (request as { cmd: string[] }).cmd[0] === 'good' ? answer(0, 'fine') : answer(1, '', 'broken'),
    );
    await world.list({ a: exec('good'), b: exec('bad') });
    await world.until('m#a=Succeeded fine', 'm#b=Failed broken');
    expect(await world.status()).toEqual(['web/m#a=Succeeded', 'web/m#b=Failed']);
    const writes = world.api.calls.length;
    await world.write();
    expect(world.api.calls).toHaveLength(writes);
    expect(world.events.filter((event) => !event.endsWith(': ')).sort()).toEqual([
      'Normal KruiseProbeFailed: broken',
      'Normal KruiseProbeSucceeded: fine',
    ]);
  });

  it('start again from Unknown with a new instance of the container', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    world.runtime.on('ExecSync', () => fail(2, 'not now'));
    world.runApp('app-2', '2000');
    await world.until('m#a=Unknown');
    world.runtime.on('ExecSync', () => answer(0, 'again'));
    await world.until('m#a=Succeeded again');
  });

  it('show a new transition for a new instance that succeeds before its Unknown is written', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    await world.write();
    const shown = async () => (await world.api.get(nodePodProbes, key)).status?.podProbeStatuses?.[0]?.probeStates?.[0];
    const before = await shown();
    world.runApp('app-2', '2000');
    for (let second = 0; second < 3; second++) await world.pass();
    await world.write();
    const after = await shown();
    expect([before?.state, after?.state]).toEqual(['Succeeded', 'Succeeded']);
    expect(Date.parse(after?.lastTransitionTime ?? '')).toBeGreaterThan(Date.parse(before?.lastTransitionTime ?? ''));
  });

  it('continue from the status when the agent starts again: Unknown is never shown', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    await world.pass();
    await world.write();
    const [writes, events] = [world.api.calls.length, world.events.length];
    world.runtime.on('ExecSync', () => fail(13, 'internal'));
    await world.restart();
    for (let second = 0; second < 5; second++) {
      await world.pass();
      expect(await world.status()).toEqual(['web/m#a=Succeeded']);
    }
    expect(world.states()).toEqual(['m#a=Succeeded fine']);
    expect(world.api.calls.slice(writes).filter(({ verb }) => verb !== 'get')).toEqual([]);
    expect(world.events.slice(events)).toEqual([]);
    world.runtime.on('ExecSync', () => answer(1, '', 'broken'));
    await world.until('m#a=Failed broken');
  });

  it('start from Unknown when the container was recreated while the agent was stopped', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    await world.write();
    world.runtime.on('ExecSync', () => fail(13, 'internal'));
    await world.restart(() => world.runApp('app-2', String((world.clock.now() + 1000) * 1_000_000)));
    await world.until('m#a=Unknown');
    expect(await world.status()).toEqual(['web/m#a=Unknown']);
  });

  it("are run by the Pod's own runtime, whichever others the node has", async () => {
    const other = new ScriptedRuntime({ socket: join(world.folder, 'other.sock') });
    await other.start();
    const connection = new CountingChannel(other.socket);
    world.runtimes.unshift({ name: 'cri-o', version: '1', socket: other.socket, connection });
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.restart();
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    const asked = other.callsOf('ListContainers').length;
    expect(asked).toBeGreaterThan(0);
    const { status = {} } = aNodePod();
    world.observe({ ...world.pod, metadata: { ...world.pod.metadata, resourceVersion: '999' }, status });
    world.runtime.on('ExecSync', () => answer(0, 'the kubelet says whose it is'));
    await world.until('m#a=Succeeded the kubelet says whose it is');
    expect(other.calls).toHaveLength(asked);
    connection.close();
    await other.stop();
  });

  it('report that a container does not run', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    const held = world.runtime.containers.get('app-1')!;
    world.runtime.containers.set('app-1', { ...held, state: 'CONTAINER_EXITED' });
    await world.until('m#a=Failed Container(app) is Non-running');
  });

  it('keep their result when the runtime cannot answer, and fail in time', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    const ran = world.runtime.callsOf('ExecSync').length;
    world.runtime.on('ExecSync', () => fail(13, 'internal'));
    for (let second = 0; second < 3; second++) await world.pass();
    expect(world.runtime.callsOf('ExecSync')).toHaveLength(ran + 3);
    expect(world.states()).toEqual(['m#a=Succeeded fine']);
    world.runtime.on('ExecSync', () => fail(4, 'deadline'));
    await world.until('m#a=Failed command timed out: "x" timed out after 1s');
  });

  it('apply another command immediately, and end when they are no longer listed', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    world.runtime.on('ExecSync', () => fail(13, 'internal'));
    await world.list({ a: exec('y') });
    expect(world.states()).toEqual(['m#a=Unknown']);
    await world.list({});
    expect([world.states(), await world.status()]).toEqual([[], []]);
  });

  it('beyond the bound of a Pod are not run, and report that once', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    const names = Array.from({ length: agentLimits.probesOfPod.value + 1 }, (_, i) => `p${i}`);
    const last = `m#p${agentLimits.probesOfPod.value}`;
    await world.list(Object.fromEntries(names.map((name) => [name, exec(name)])));
    await world.until(
      ...names.slice(0, -1).map((name) => `m#${name}=Succeeded fine`),
      `${last}=Unknown not run: the Pod has more than 32 probes`,
    );
    await world.status();
    const writes = world.api.calls.length;
    await world.pass();
    await world.write();
    expect(world.api.calls).toHaveLength(writes);
    expect(world.events.filter((event) => event.includes('not run'))).toEqual([
      'Normal KruiseProbeFailed: not run: the Pod has more than 32 probes',
    ]);
    await world.list({ [`p${agentLimits.probesOfPod.value}`]: exec('x') });
    await world.until(`${last}=Succeeded fine`);
  });

  it('with different output each time are written once a minute, a new state immediately', async () => {
    let runs = 0;
    world.runtime.on('ExecSync', () => answer(0, `run ${runs++}`));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded run 0');
    const shown = new Set<string>();
    for (let second = 0; second < 62; second++) {
      await world.pass();
      for (const state of world.states()) shown.add(state);
    }
    expect([...shown]).toEqual(['m#a=Succeeded run 0', 'm#a=Succeeded run 60']);
    world.runtime.on('ExecSync', () => answer(1, '', 'broken'));
    await world.pass();
    expect(world.states()).toEqual(['m#a=Failed broken']);
  });

  it('that fail and succeed in turns are written at most 30 times a minute', async () => {
    let runs = 0;
    world.runtime.on('ExecSync', () => answer(runs++ % 2, ''));
    await world.list({ a: exec('x') });
    const before = world.api.calls.length;
    for (let second = 0; second < 60; second++) {
      await world.pass();
      await world.write();
    }
    expect(runs).toBeGreaterThan(55);
    expect(world.api.calls.slice(before).filter(({ verb }) => verb === 'update').length).toBeLessThanOrEqual(30);
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('continue when the wall clock jumps %s', async (_direction, length) => {
    let runs = 0;
    world.runtime.on('ExecSync', () => answer(0, `run ${runs++}`));
    world.runApp('app-2', String(world.clock.now() * 1_000_000));
    world.clock.jumpWallClock(length);
    await world.list({ a: { ...exec('x'), initialDelaySeconds: 3 } });
    await world.until('m#a=Succeeded run 0');
    const before = runs;
    world.clock.jumpWallClock(length);
    for (let second = 0; second < 3; second++) await world.pass();
    expect(runs).toBe(before + 3);
  });

  it('run only in Pods of this node', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    const stranger = { ...world.pod, metadata: { ...world.pod.metadata, name: 'other', uid: 'stranger' } };
    runContainer(world.runtime, stranger, { id: 'other-1' });
    const held = await world.api.get(nodePodProbes, key);
    const entry = {
      name: 'other',
      namespace: 'default',
      uid: 'stranger',
      IP: '',
      probes: [{ name: 'm#a', containerName: 'app', probe: exec('x') }],
    };
    world.workers.sync({ ...held, spec: { podProbes: [entry] } });
    for (let second = 0; second < 10; second++) await world.pass();
    expect(world.runtime.calls).toEqual([]);
  });

  it('run without a watch of Pods, when the runtime has a sandbox of exactly that Pod', async () => {
    await world.end();
    world = new ProbeWorld({ watched: false });
    await world.begin();
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    const entry = world.entry({ a: exec('x') });
    await world.ask(
      entry,
      { ...entry, namespace: 'other', uid: 'stranger' },
      { ...entry, name: 'api', probes: [{ ...entry.probes![0]!, name: 'm#b' }] },
    );
    await world.until('m#a=Succeeded fine');
    expect(await world.status()).toEqual(['web/m#a=Succeeded']);
    expect(world.events).toContain('Normal KruiseProbeSucceeded: fine');
  });
});
