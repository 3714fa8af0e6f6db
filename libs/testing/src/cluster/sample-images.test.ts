import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { documentsOf, layerOf } from './image-registry.ts';
import { repositoryOf, roleOf, sampleImages } from './sample-images.ts';
import { tar } from './tar.ts';

describe('tar', () => {
  it('is read by tar as it was written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kruise-tar-'));
    const content = Buffer.from('x'.repeat(700));
    writeFileSync(
      join(folder, 'a.tar'),
      tar([
        { kind: 'folder', path: 'bin' },
        { kind: 'file', path: 'bin/run', content, executable: true },
        { kind: 'link', path: 'bin/sh', target: 'run' },
        { kind: 'file', path: 'empty', content: Buffer.alloc(0) },
      ]),
    );
    execFileSync('tar', ['-xf', 'a.tar'], { cwd: folder });
    expect(readFileSync(join(folder, 'bin/run'))).toEqual(content);
    expect(statSync(join(folder, 'bin/run')).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(folder, 'bin/sh'))).toBe('run');
    expect(statSync(join(folder, 'empty')).size).toBe(0);
    rmSync(folder, { recursive: true });
  });
});

describe('sample images', () => {
  it.each([
    ['nginx:1.23.1', 'library/nginx', '1.23.1', 'web'],
    ['registry.k8s.io/e2e-test-images/agnhost:2.53', 'e2e-test-images/agnhost', '2.53', 'agnhost'],
    ['openkruise/minecraft-demo:probe-v0', 'openkruise/minecraft-demo', 'probe-v0', 'idle'],
    ['centos:7', 'library/centos', '7', 'bash'],
    ['busybox:1.35', 'library/busybox', '1.35', 'shell'],
  ])('%s is where a mirror is asked for it', (image, repository, tag, role) => {
    expect(sampleImages).toContain(image);
    expect(repositoryOf(image)).toEqual({ repository, tag });
    expect(roleOf(image)).toBe(role);
  });

  it('have a manifest that names config and layers by their digests', () => {
    const layer = layerOf(Buffer.from('layer'));
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
