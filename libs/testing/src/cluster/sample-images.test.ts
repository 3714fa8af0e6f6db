import { describe, expect, it } from '@jest/globals';
import { blobOf } from '../oci/registry.ts';
import { documentsOf } from './image-registry.ts';
import { repositoryOf, roleOf, sampleImages } from './sample-images.ts';

describe('sample images', () => {
  it.each([
    ['nginx:1.23.1', 'library/nginx', '1.23.1', 'web'],
    ['registry.k8s.io/e2e-test-images/agnhost:2.53', 'e2e-test-images/agnhost', '2.53', 'agnhost'],
    ['openkruise/minecraft-demo:probe-v0', 'openkruise/minecraft-demo', 'probe-v0', 'idle'],
    ['centos:7', 'library/centos', '7', 'bash'],
    ['busybox:1.35', 'library/busybox', '1.35', 'shell'],
  ])('%s is in the repository that is requested from a mirror', (image, repository, tag, role) => {
    expect(sampleImages).toContain(image);
    expect(repositoryOf(image)).toEqual({ repository, tag });
    expect(roleOf(image)).toBe(role);
  });

  it('have a manifest that names config and layers by their digests', () => {
    const layer = blobOf(Buffer.from('layer'));
    const { config, manifest } = documentsOf(
      { repository: 'a', tag: '1', layers: [layer], command: ['/a'], env: ['B=c'], entrypoint: ['/e'] },
      'amd64',
    );
    expect(JSON.parse(Buffer.from(manifest.content).toString())).toMatchObject({
      config: { digest: config.digest, size: config.content.length },
      layers: [{ digest: layer.digest, size: 5 }],
    });
    expect(JSON.parse(Buffer.from(config.content).toString())).toMatchObject({
      config: { Cmd: ['/a'], Entrypoint: ['/e'] },
      rootfs: { diff_ids: [layer.digest] },
    });
  });
});
