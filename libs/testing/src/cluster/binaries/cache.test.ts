import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { binaryPath, cacheFolder, cacheKey } from './cache.ts';

const module = { folder: 'control-plane', version: '1.2.3' };
const files = new Map([
  ['go.mod', 'module a'],
  ['go.sum', 'sums'],
]);

describe('cacheKey', () => {
  it('names module, version and platform, and does not depend on the order of files', () => {
    const key = cacheKey(module, files, 'linux-x64');
    expect(key).toMatch(/^control-plane-1\.2\.3-linux-x64-[0-9a-f]{16}$/);
    expect(cacheKey(module, new Map([...files].reverse()), 'linux-x64')).toBe(key);
  });

  it.each([
    ['a changed sum', new Map([...files, ['go.sum', 'other']]), module, 'linux-x64'],
    ['one more file', new Map([...files, ['tools.go', '']]), module, 'linux-x64'],
    ['text moved between files', new Map([...files, ['go.mod', 'module as'], ['go.sum', 'ums']]), module, 'linux-x64'],
    ['another version', files, { ...module, version: '1.2.4' }, 'linux-x64'],
    ['another platform', files, module, 'linux-arm64'],
  ])('differs for %s', (_, otherFiles, otherModule, platform) => {
    expect(cacheKey(otherModule, otherFiles, platform)).not.toBe(cacheKey(module, files, 'linux-x64'));
  });
});

describe('the location of binaries', () => {
  it('is the cache named by the environment', () => {
    expect(cacheFolder({ KRUISE_CACHE: '/a' })).toBe('/a');
    expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/kruise');
    expect(cacheFolder({})).toMatch(/\/\.cache\/kruise$/);
    expect(binaryPath('kubelet', { KRUISE_CACHE: '/a' })).toMatch(/^\/a\/binaries\/control-plane-[^/]+\/kubelet$/);
  });

  it('is KUBEBUILDER_ASSETS for what it contains, the cache for the rest', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kruise-assets-'));
    for (const name of ['etcd', 'kubelet']) writeFileSync(join(folder, name), '');
    for (const name of ['etcd', 'kubelet']) chmodSync(join(folder, name), 0o755);
    const env = { KUBEBUILDER_ASSETS: folder, KRUISE_CACHE: '/cache' };
    expect(binaryPath('etcd', env)).toBe(join(folder, 'etcd'));
    expect(binaryPath('kubectl', env)).toMatch(/^\/cache\//);
    expect(binaryPath('kubelet', env)).toMatch(/^\/cache\//);
    rmSync(folder, { recursive: true });
  });

  it('is a folder of its own for another release of Kubernetes, which replaces only the control plane', () => {
    const env = { KRUISE_CACHE: '/cache', KRUISE_KUBERNETES: '1.30' };
    expect(binaryPath('kube-apiserver', env)).toMatch(/^\/cache\/binaries\/control-plane-1\.30-1\.30\.\d+-/);
    expect(binaryPath('etcd', env)).toBe(binaryPath('etcd', { KRUISE_CACHE: '/cache' }));
    expect(() => binaryPath('kubelet', { KRUISE_KUBERNETES: '1.12' })).toThrow(/KRUISE_KUBERNETES must be one of 1\.30, .*, not 1\.12/);
  });

  it('is a folder of its own for Helm 3', () => {
    expect(binaryPath('helm', { KRUISE_CACHE: '/c', KRUISE_HELM: '3' })).toMatch(/^\/c\/binaries\/helm-3-3\.\d+\.\d+-[^/]+\/helm$/);
    expect(() => binaryPath('helm', { KRUISE_HELM: '2' })).toThrow('KRUISE_HELM must be 3 or 4, not 2');
  });
});
