/** What the node agent has of its host, as the chart renders it: whatever is not listed here is not there. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, silent } from '@kruise/testing';
import { find, render, type Values } from './render.ts';

interface Container {
  readonly name: string;
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly args: readonly string[];
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly hostPath?: object; readonly emptyDir?: object }[];
  readonly [member: string]: unknown;
}

async function podSpec(values: Values = {}): Promise<PodSpec> {
  const { spec } = find(await render(values), 'DaemonSet', 'kruise-daemon') as unknown as { spec: { template: { spec: PodSpec } } };
  return spec.template.spec;
}

const hostPaths = ({ volumes }: PodSpec): readonly unknown[] =>
  volumes.flatMap(({ hostPath }) => (hostPath === undefined ? [] : [hostPath]));

describe('the node agent on its host', () => {
  beforeAll(async () => void (await ensureBinaries(['helm'], silent)), 600_000);

  it('is one container without privilege, on a root file system that it cannot write to', async () => {
    const { containers, initContainers } = await podSpec();
    expect(initContainers).toBeUndefined();
    expect(containers.map(({ name }) => name)).toEqual(['daemon']);
    // Root opens the socket; the only capability is the one for low ports.
    expect(containers[0]?.securityContext).toEqual({
      runAsUser: 0,
      runAsGroup: 0,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      seccompProfile: { type: 'RuntimeDefault' },
      capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
    });
  });

  it("shares the host's network and none of its processes, users or IPC", async () => {
    const { hostNetwork, hostPID, hostIPC, shareProcessNamespace } = await podSpec();
    expect({ hostNetwork, hostPID, hostIPC, shareProcessNamespace }).toEqual({ hostNetwork: true });
  });

  it('has one directory of the host, read-only, which is /var/run by default', async () => {
    const spec = await podSpec();
    expect(hostPaths(spec)).toEqual([{ path: '/var/run' }]);
    expect(spec.volumes.map(({ name }) => name)).toEqual(['runtime-socket', 'tmp', 'log']);
    expect(spec.containers[0]?.volumeMounts).toEqual([
      { name: 'runtime-socket', mountPath: '/hostvarrun', readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'log', mountPath: '/log' },
    ]);
    expect(spec.volumes.slice(1).map(({ emptyDir }) => emptyDir)).toEqual([{ sizeLimit: '256Mi' }, { sizeLimit: '256Mi' }]);
  });

  it('has only the directory of the socket if the values name it', async () => {
    const spec = await podSpec({ 'daemon.socketLocation': '/run/containerd', 'daemon.socketFile': 'containerd.sock' });
    expect(hostPaths(spec)).toEqual([{ path: '/run/containerd' }]);
    expect(spec.containers[0]?.args).toContain('--socket-file=containerd.sock');
  });

  it('has the plugins of credential providers and their keys, read-only, only where these are switched on', async () => {
    const spec = await podSpec({
      'daemon.credentialProvider': { enable: true, configmap: 'c', hostPath: '/plugins', awsCredentialsDir: '/aws' },
    });
    expect(hostPaths(spec)).toEqual([{ path: '/var/run' }, { path: '/plugins', type: 'Directory' }, { path: '/aws', type: 'Directory' }]);
    const mounts = spec.containers[0]?.volumeMounts ?? [];
    expect(mounts.filter(({ readOnly }) => readOnly !== true).map(({ name }) => name)).toEqual(['tmp', 'log']);
  });

  it('serves profiles to its own host alone', async () => {
    const { containers } = await podSpec();
    expect(containers[0]?.args).toContain('--pprof-addr=localhost:10222');
    expect(containers[0]?.args.join(' ')).not.toContain('heap-snapshots');
  });
});
