/** Substitutes for the public images that samples and tests name: busybox below, something that behaves like the real one on top. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Blob, blobOf } from '../oci/registry.ts';
import { type TarEntry, tar } from '../oci/tar.ts';
import { type ImageRegistry, type SampleImage } from './image-registry.ts';

export const pauseImage = { repository: 'kruise/pause', tag: '1' };

const e2e = 'registry.k8s.io/e2e-test-images';

/** As manifests name them. */
export const sampleImages: readonly string[] = [
  ...['latest', '1.32', '1.33', '1.34', '1.35'].map((tag) => `busybox:${tag}`),
  ...['latest', '1.14.2', '1.15.1', '1.23.1', '1.23.2', '1.25.0', 'alpine-20', 'alpine-21'].map((tag) => `nginx:${tag}`),
  'centos:7',
  ...['busybox:1.36.1-1', 'httpd:2.4.38-4', 'httpd:2.4.39-4', 'nginx:1.14-4', 'nginx:1.15-4', 'redis:5.0.5-3', 'agnhost:2.53'].map(
    (image) => `${e2e}/${image}`,
  ),
  'openkruise/hotupgrade-sample:sidecarv1',
  'openkruise/hotupgrade-sample:empty',
  'openkruise/minecraft-demo:probe-v0',
  'minchou/exit:v1.0',
];

/**
 * Returns the repository of an image: `nginx:1` -> repository `library/nginx`, which is what a mirror of docker.io or registry.k8s.io is requested.
 */
export function repositoryOf(image: string): { readonly repository: string; readonly tag: string } {
  const colon = image.lastIndexOf(':');
  const [name, tag] = [image.slice(0, colon).replace(/^registry\.k8s\.io\//, ''), image.slice(colon + 1)];
  return { repository: name.includes('/') ? name : `library/${name}`, tag };
}

type Role = 'shell' | 'web' | 'idle' | 'bash' | 'agnhost';

/** Returns what an image does when it is started without a command. */
export function roleOf(image: string): Role {
  const name = repositoryOf(image).repository.split('/').at(-1) ?? '';
  if (name === 'nginx' || name === 'httpd') return 'web';
  if (['redis', 'hotupgrade-sample', 'minecraft-demo', 'exit'].includes(name)) return 'idle';
  if (name === 'centos') return 'bash';
  return name === 'agnhost' ? 'agnhost' : 'shell';
}

const commands: Readonly<Record<Role, readonly string[]>> = {
  shell: ['/bin/sh'],
  web: ['/bin/nginx'],
  idle: ['/bin/run'],
  bash: ['/bin/bash'],
  agnhost: ['pause'],
};

const folder = (path: string): TarEntry => ({ kind: 'folder', path });
const text = (path: string, content: string): TarEntry => ({ kind: 'file', path, content: Buffer.from(content) });
const script = (path: string, content: string): TarEntry => ({
  kind: 'file',
  path,
  content: Buffer.from(`#!/bin/sh\n${content}\n`),
  mode: 0o755,
});
const program = (path: string, from: string): TarEntry => ({ kind: 'file', path, content: readFileSync(from), mode: 0o755 });

function busyboxLayer(busybox: string): Blob {
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const folders = [
    'bin',
    'tmp',
    'var',
    'var/www',
    'etc',
    'proc',
    'sys',
    'dev',
    'usr',
    'usr/bin',
    'usr/sbin',
    'sbin',
    'root',
    'usr/share',
    'usr/share/nginx',
    'usr/share/nginx/html',
  ];
  const links = applets
    .filter((name) => name !== 'busybox')
    .map((name): TarEntry => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' }));
  return blobOf(
    tar([...folders.map(folder), program('bin/busybox', busybox), ...links, text('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\n')]),
  );
}

/** Returns a web server that answers every path's index with the image's name and ends immediately when it is stopped. */
const web = (image: string): readonly TarEntry[] => [
  text('var/www/index.html', `${image}\n`),
  script('bin/nginx', 'trap "exit 0" TERM QUIT INT\nhttpd -f -p "${PORT:-80}" -h /var/www & wait $!'),
];
const bash: TarEntry = { kind: 'link', path: 'bin/bash', target: 'busybox' };
const idle = [bash, script('bin/run', 'trap "exit 0" TERM INT\nwhile true; do sleep 3600 & wait $!; done'), script('probe.sh', 'exit 0')];

/** Only `agnhost pause`: nothing else of it is used here, and building the real one takes minutes. */
const agnhost = script(
  'agnhost',
  'case "${1:-pause}" in pause) trap "exit 0" TERM INT; while true; do sleep 3600 & wait $!; done ;; *) echo "this stand-in for agnhost knows pause only, not $1" >&2; exit 1 ;; esac',
);

const contents: Readonly<Record<Role, (image: string) => readonly TarEntry[]>> = {
  shell: () => [],
  web,
  idle: () => idle,
  bash: () => [bash],
  agnhost: () => [agnhost],
};

const contentOf = (image: string): readonly TarEntry[] => [...contents[roleOf(image)](image), text('etc/image', `${image}\n`)];

/** Statically linked programs of this machine, by path. */
export interface SampleSources {
  readonly busybox: string;
  /** An init. With `-P` it only waits and reaps orphaned processes. */
  readonly catatonit: string;
}

/** Builds all sample images. Each has an id of its own. */
function buildSampleImages(sources: SampleSources): readonly SampleImage[] {
  const base = busyboxLayer(sources.busybox);
  const pauseLayer = blobOf(tar([program('pause', sources.catatonit)]));
  const pause: SampleImage = { ...pauseImage, layers: [pauseLayer], command: ['/pause', '-P'], env: [] };
  const samples = sampleImages.map((image): SampleImage => {
    const role = roleOf(image);
    const layers = [base, blobOf(tar(contentOf(image)))];
    return {
      ...repositoryOf(image),
      layers,
      command: commands[role],
      env: [`IMAGE=${image}`],
      ...(role === 'agnhost' ? { entrypoint: ['/agnhost'] } : {}),
    };
  });
  return [pause, ...samples];
}

export async function pushSampleImages(registry: ImageRegistry, sources: SampleSources): Promise<number> {
  const images = buildSampleImages(sources);
  for (const image of images) await registry.push(image);
  return images.length;
}
