/**
 * Malicious lists that bypass every admission: whatever they contain, the agent connects only to the Pod's own address, looks up no name, and runs
 * commands in no container except the named one, of exactly that Pod.
 */
import { channel } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ContainerProbe, PodProbe } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { probeAttacks } from '@kruise/testing';
import { aNodePod, runContainer } from '../testing.ts';
import { probeHttp } from './http-probe.ts';
import { exec, ProbesFixture } from './fixture.testing.ts';

/** Addresses of networks for documentation, so that no host is reached by accident. */
const podIp = '192.0.2.10';
const otherIp = '198.51.100.7';
const nodeIp = '203.0.113.9';

/** Every connection that this process begins, except those to the runtime: recorded, and closed before anything is sent. */
class Dials {
  readonly addresses = new Set<string>();
  readonly names = new Set<string>();
  readonly #clients = channel('net.client.socket');
  readonly #cuts: boolean;
  readonly #see = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    socket.on('connectionAttempt', (address: string) => {
      if (/\/node-\w+\/run\.sock$/.test(address)) return;
      this.addresses.add(address);
      if (this.#cuts) setImmediate(() => socket.destroy(new Error('cut')));
    });
    socket.on('lookup', (_error, _address, _family, name: string) => this.names.add(name));
  };

  constructor({ cuts = true }: { readonly cuts?: boolean } = {}) {
    this.#cuts = cuts;
  }

  begin(): void {
    this.#clients.subscribe(this.#see);
  }

  end(): void {
    this.#clients.unsubscribe(this.#see);
  }
}

let fixture: ProbesFixture;
let dials: Dials;
async function begin(): Promise<void> {
  fixture = new ProbesFixture();
  await fixture.begin();
  fixture.runtime.on('ExecSync', ({ cmd }: { readonly cmd: readonly string[] }) => ({
    stdout: Buffer.from(cmd[0] ?? ''),
    stderr: Buffer.alloc(0),
    exitCode: 0,
  }));
  setSandbox(fixture.pod, { ip: podIp });
  const other: Pod = { ...aNodePod({ name: 'other' }), status: { phase: 'Running', podIP: otherIp, hostIP: nodeIp } };
  runContainer(fixture.runtime, other, { id: 'other-1' });
  runContainer(fixture.runtime, other, { id: 'other-2', spec: { name: 'private', image: 'x' } });
  setSandbox(other, { ip: otherIp });
  fixture.observe(other);
}

beforeEach(() => {
  dials = new Dials();
  dials.begin();
});
afterEach(() => dials.end());

function setSandbox({ metadata }: Pod, over: { readonly ip?: string; readonly uid?: string; readonly isReady?: boolean }): void {
  const id = `sandbox-${metadata.uid ?? ''}`;
  const held = fixture.runtime.sandboxes.get(id);
  if (held === undefined) throw new Error(`no ${id}`);
  fixture.runtime.sandboxes.set(id, { ...held, ...over });
}

const said = (): readonly string[] => fixture.workers.results.map(({ state, message }) => `${state} ${message}`.trim());

const decided = (): number => said().filter((result) => result !== 'Unknown').length;

/** Lets the probes run until as many as are `expected` have reported; for some periods when fewer of them ever may. */
async function run(
  { expected, isEnough = () => decided() >= expected }: { readonly expected: number; readonly isEnough?: () => boolean },
  ...entries: readonly PodProbe[]
): Promise<void> {
  await fixture.ask(...entries);
  const deadline = performance.now() + 5000;
  for (let second = 0; decided() < expected && (second < 6 || (!isEnough() && performance.now() < deadline)); second++) {
    await fixture.pass();
  }
}

describe('the watch over connections', () => {
  it('sees every address, and every name that is looked up', async () => {
    const socket = connect({ host: 'localhost', port: 9 });
    await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    expect([...dials.names]).toEqual(['localhost']);
    expect([...dials.addresses].join()).toMatch(/^(127\.0\.0\.1|::1)/);
  });
});

const execs = (): readonly string[] => [
  ...new Set(fixture.runtime.callsOf('ExecSync').map(({ containerId }: { containerId: string }) => containerId)),
];

describe('a probe', () => {
  beforeAll(begin);
  beforeEach(async () => {
    await fixture.ask();
    fixture.runtime.calls.splice(0);
  });
  afterAll(() => fixture.end());

  it.each(probeAttacks)('$name', async ({ probe }) => {
    await run({ expected: 2, isEnough: () => said().includes('Succeeded good') }, fixture.entry({ p: probe, good: exec('good') }));
    expect([...dials.addresses].filter((address) => address !== podIp)).toEqual([]);
    expect([...dials.names]).toEqual([]);
    expect(execs().filter((id) => id !== 'app-1')).toEqual([]);
    // It does not affect others either.
    expect(said()).toContain('Succeeded good');
  });

  it('of another host is not run at all, and reports why', async () => {
    await run({ expected: 1 }, fixture.entry({ p: { httpGet: { host: otherIp, path: '/', port: 80, scheme: 'HTTP' } } }));
    expect([...dials.addresses]).toEqual([]);
    expect(said()).toEqual(['Failed host field in probes is not allowed']);
  });

  it('reaches the Pod', async () => {
    await run({ expected: 1 }, fixture.entry({ p: { tcpSocket: { port: 80 } } }));
    expect([...dials.addresses]).toEqual([podIp]);
    expect(said()).toEqual(['Failed cut']);
  });
});

const both: Readonly<Record<string, ContainerProbe>> = { net: { tcpSocket: { port: 80 } }, run: exec('true') };

describe('an entry', () => {
  beforeEach(begin);
  afterEach(() => fixture.end());

  it.each<[string, Partial<PodProbe>]>([
    ['with the address of another Pod', { IP: otherIp }],
    ['with the address of the node', { IP: nodeIp }],
    ['with the address of the metadata service', { IP: '169.254.169.254' }],
    ['with the address of a Service', { IP: '10.96.0.1' }],
    ['with the loopback', { IP: '127.0.0.1' }],
    ['with the loopback of IPv6', { IP: '::1' }],
    ['with a mapped address', { IP: '::ffff:169.254.169.254' }],
    ['with a name for an address', { IP: 'metadata.google.internal' }],
    ['with several addresses', { IP: `${podIp},${otherIp}` }],
    ['with an address and a port', { IP: `${otherIp}:80/` }],
    ['with an address and somebody before it', { IP: `${podIp}@${otherIp}` }],
  ])('%s reaches only the Pod', async (_name, over) => {
    await run({ expected: 2 }, fixture.entry(both, over));
    expect([...dials.addresses]).toEqual([podIp]);
    expect([...dials.names]).toEqual([]);
    expect(execs()).toEqual(['app-1']);
  });

  it.each<[string, Partial<PodProbe>]>([
    ['with the UID of another Pod', { uid: 'uid-other' }],
    ['with the name of another Pod', { name: 'other' }],
    ['with another namespace', { namespace: 'kube-system' }],
    ['with a UID that selects everything', { uid: '' }],
    ['with a UID of several', { uid: 'uid-web,uid-other' }],
    ['with the UID of a Pod that nobody knows', { uid: 'stranger' }],
    ['with a name that is a path', { name: '../other' }],
    ['with the name of the object class', { name: '__proto__', namespace: '__proto__' }],
  ])('%s reaches nothing', async (_name, over) => {
    await run({ expected: 1, isEnough: () => true }, fixture.entry(both, over));
    expect([...dials.addresses]).toEqual([]);
    expect(fixture.runtime.calls).toEqual([]);
    expect(said()).toEqual([]);
  });

  it.each(['private', 'other-1', '', 'app,private', '../private', '__proto__'])(
    'for the container %j runs nothing',
    async (containerName) => {
      const { probes = [], ...entry } = fixture.entry(both);
      await run({ expected: 1, isEnough: () => true }, { ...entry, probes: probes.map((probe) => ({ ...probe, containerName })) });
      expect([[...dials.addresses], execs()]).toEqual([[], []]);
    },
  );

  it('for a container that another client created with the labels of the Pod runs nothing', async () => {
    setSandbox(fixture.pod, { uid: 'uid-other' });
    await run({ expected: 1, isEnough: () => true }, fixture.entry(both));
    expect([[...dials.addresses], execs()]).toEqual([[], []]);
  });

  it('for a Pod whose sandbox has ended connects to nothing: the address may be another one’s', async () => {
    setSandbox(fixture.pod, { isReady: false });
    await run({ expected: 2 }, fixture.entry(both));
    expect([...dials.addresses]).toEqual([]);
    expect(said()).toContain('Failed the Pod has no IP that may be probed');
  });

  it.each(['127.0.0.1', '169.254.169.254', nodeIp])('for a Pod that claims to have the address %s connects to nothing', async (ip) => {
    setSandbox(fixture.pod, { ip });
    fixture.observe({
      ...fixture.pod,
      status: { ...fixture.pod.status, hostIP: nodeIp },
      metadata: { ...fixture.pod.metadata, resourceVersion: '1000' },
    });
    await run({ expected: 2 }, fixture.entry(both, { IP: ip }));
    expect([...dials.addresses]).toEqual([]);
  });

  it('for a Pod in the network of the node connects only to the node', async () => {
    setSandbox(fixture.pod, { ip: '' });
    const spec = { ...fixture.pod.spec, hostNetwork: true };
    fixture.observe({
      ...fixture.pod,
      spec,
      status: { ...fixture.pod.status, hostIP: nodeIp },
      metadata: { ...fixture.pod.metadata, resourceVersion: '1000' },
    });
    await run({ expected: 2 }, fixture.entry(both, { IP: otherIp }));
    expect([...dials.addresses]).toEqual([nodeIp]);
  });

  it('that occurs twice does not replace the first', async () => {
    await run({ expected: 1 }, fixture.entry({ p: exec('true') }), fixture.entry({ p: { tcpSocket: { port: 80 } } }));
    expect([execs(), [...dials.addresses], said()]).toEqual([['app-1'], [], ['Succeeded true']]);
    // The same text, cut elsewhere.
    await run(
      { expected: 1 },
      fixture.entry({ p: exec('true') }),
      fixture.entry({}, { probes: [{ name: '', containerName: 'app/m#p', probe: exec('false') }] }),
    );
    expect(fixture.runtime.callsOf('ExecSync').some(({ cmd }: { cmd: readonly string[] }) => cmd[0] === 'false')).toBe(false);
  });
});

describe('a redirect', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'https://169.254.169.254/',
    '//169.254.169.254/',
    `http://${otherIp}/`,
    'http://localhost/',
    'http://[::1]/',
    'http://[::ffff:192.0.2.10]/',
    `http://${podIp}@${otherIp}/`,
    `http://${podIp}.evil.example/`,
    'http://0/',
    'file:///etc/passwd',
    'unix:/var/run/containerd/containerd.sock',
    'data:text/plain,hello',
    'http://',
    '\\\\169.254.169.254\\x',
  ])('to %s is not followed', async (location) => {
    const server = createServer((_request, response) => response.writeHead(302, { location }).end('moved'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const followed = new Dials({ cuts: false });
    dials.end();
    followed.begin();
    const { port } = server.address() as AddressInfo;
    const outcome = await probeHttp({ host: '127.0.0.1', port, scheme: 'http', path: '/', headers: [] }, AbortSignal.timeout(5000));
    followed.end();
    server.close();
    expect([[...followed.addresses], [...followed.names]]).toEqual([['127.0.0.1'], []]);
    expect(outcome).toEqual({ state: 'Succeeded', message: 'Probe terminated redirects, Response body: moved' });
  });
});
