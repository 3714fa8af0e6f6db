/** What a build with a container engine takes from elsewhere is named by digest or snapshot. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = dirname(dirname(import.meta.dirname));
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

const source = (name: string, comment = `# http://archive.example/${name}/20260105T000000Z\n`): string =>
  `Types: deb\n${comment}URIs: http://mirror.example/${name}\nSuites: bookworm\n`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pin-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function pin(
  image: string | undefined,
  sources: string,
): { readonly status: number | null; readonly stderr: string; readonly then: string } {
  const file = join(folder, 'debian.sources');
  writeFileSync(file, sources);
  const env = { PATH: process.env['PATH'], ...(image === undefined ? {} : { NODE_IMAGE: image }) };
  const { status, stderr } = spawnSync('sh', [join(root, 'deploy/pin-base.sh'), file, join(folder, 'apt.conf')], { encoding: 'utf8', env });
  return { status, stderr, then: readFileSync(file, 'utf8') };
}

describe('the Dockerfile', () => {
  it('names no image but the one that is given, and pins it before anything is installed', () => {
    const steps = dockerfile.split('\n').filter((line) => /^(ARG|FROM|RUN)\b/.test(line));
    expect(steps.filter((line) => /^(ARG|FROM)/.test(line))).toEqual([
      'ARG NODE_IMAGE',
      'FROM ${NODE_IMAGE} AS build',
      'ARG NODE_IMAGE',
      'FROM scratch',
    ]);
    expect(steps.find((line) => line.startsWith('RUN'))).toMatch(/^RUN sh \/pin-base\.sh && apt-get update/);
  });

  it('is built with a digest wherever the documentation builds it', () => {
    const texts = [dockerfile, readFileSync(join(root, 'deploy/README.md'), 'utf8')];
    const builds = texts.flatMap((text) => text.replaceAll('\\\n', ' ').match(/docker (buildx )?build .*/g) ?? []);
    expect(builds.length).toBeGreaterThan(1);
    for (const build of builds) expect(build).toMatch(/--build-arg NODE_IMAGE=\S+@/);
  });
});

describe('a base image', () => {
  const sources = `${source('debian')}\n${source('debian-security')}`;

  it.each([undefined, '', 'node:24-bookworm-slim', `node@${digest.slice(0, -1)}`, `node@${digest}0`])(
    'is refused without a digest: %s',
    (image) => {
      expect(pin(image, sources)).toMatchObject({ status: 1, stderr: expect.stringContaining('by digest'), then: sources });
    },
  );

  it('installs packages of the snapshot that it was made of', () => {
    const { status, then } = pin(`node@${digest}`, sources);
    expect(status).toBe(0);
    expect(then.match(/^URIs: .*$/gm)).toEqual([
      'URIs: http://archive.example/debian/20260105T000000Z',
      'URIs: http://archive.example/debian-security/20260105T000000Z',
    ]);
    expect(readFileSync(join(folder, 'apt.conf'), 'utf8')).toBe('Acquire::Check-Valid-Until "false";\n');
  });

  it('is refused when a source has no snapshot', () => {
    const loose = `${source('debian')}\n${source('debian-security', '')}`;
    expect(pin(`node@${digest}`, loose)).toMatchObject({ status: 1, stderr: expect.stringContaining('names no snapshot'), then: loose });
  });
});
