import { describe, expect, it } from '@jest/globals';
import { apiServer, controllerManager, etcd } from './control-plane-components.ts';
import { cniConfig, containerdConfig, kubelet, kubeletConfig, mirrorConfig, registryConfig } from './node-components.ts';

const node = { dir: '/state/c', clusterName: 'c', number: 2, kubeletPort: 17001, registry: '127.0.0.1:5001' };
const layout = {
  dir: '/state/c',
  binaries: { etcd: '/bin/etcd', 'kube-apiserver': '/bin/kube-apiserver' },
  ports: { etcd: 1, etcdPeer: 2, api: 3 },
  address: '127.0.0.1',
  controllers: false,
  apiServerFlags: ['--v=4'],
  controllerManagerFlags: ['--v=5'],
};

describe('a node', () => {
  it('has a kubelet with folder, address, port and cgroup of its own', () => {
    const config = JSON.parse(kubeletConfig(node)) as Record<string, unknown>;
    expect(config).toMatchObject({
      address: '172.30.0.3',
      port: 17001,
      cgroupRoot: '/kruise-c-node2',
      podLogsDir: '/state/c/node2/pods',
      failCgroupV1: false,
    });
    expect(config.containerRuntimeEndpoint).toBe('unix:///state/c/node2/run/containerd.sock');
    expect(kubelet(node, '/bin/kubelet')).toMatchObject({ name: 'kubelet-node2', command: '/bin/kubelet' });
    expect(kubelet(node, '/bin/kubelet').args).toEqual(
      expect.arrayContaining(['--root-dir=/state/c/node2/kubelet', '--node-ip=172.30.0.3', '--hostname-override=node2']),
    );
  });

  it('keeps what containerd writes in its folder and pulls from the registry', () => {
    const config = containerdConfig(node);
    for (const line of [
      'root = "/state/c/node2/containerd"',
      'sandbox_image = "127.0.0.1:5001/kruise/pause:1"',
      'restrict_oom_score_adj = true',
      'netns_mounts_under_state_dir = true',
      'Root = "/state/c/node2/runc"',
    ]) {
      expect(config).toContain(line);
    }
    expect(mirrorConfig('127.0.0.1:5001')).toContain('[host."http://127.0.0.1:5001"]');
    expect(JSON.parse(registryConfig('/state/c', '127.0.0.1:5001'))).toMatchObject({
      http: { addr: '127.0.0.1:5001' },
      storage: { filesystem: { rootdirectory: '/state/c/registry' } },
    });
    expect(JSON.parse(cniConfig(node))).toMatchObject({
      name: 'kruise-c',
      plugins: [{ type: 'bridge', bridge: 'kruise-pods' }, { type: 'portmap' }],
    });
  });
});

describe('the control plane', () => {
  it('listens on loopback only and lets flags of the caller override its own', () => {
    const { args } = apiServer(layout);
    expect(args).toEqual(
      expect.arrayContaining([
        '--bind-address=127.0.0.1',
        '--secure-port=3',
        '--etcd-servers=http://127.0.0.1:1',
        '--endpoint-reconciler-type=none',
      ]),
    );
    expect(args.at(-1)).toBe('--v=4');
    expect(etcd(layout).args).toContain('--listen-client-urls=http://127.0.0.1:1');
  });

  it('admits Pods without service accounts only when no controller creates them', () => {
    const disabled = '--disable-admission-plugins=ServiceAccount';
    expect(apiServer(layout).args).toContain(disabled);
    expect(apiServer({ ...layout, controllers: true }).args).not.toContain(disabled);
  });

  it('reports which binary it lacks', () => {
    expect(() => controllerManager(layout)).toThrow('no binary for kube-controller-manager');
  });
});
