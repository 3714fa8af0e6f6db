import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pinnedNode } from '../release/node/node-package.ts';
import { imagePlatforms, parsePlatforms } from './platforms.ts';

const root = dirname(dirname(import.meta.dirname));

describe('the platforms of the image', () => {
  it('have the Node of package.json, which the image of this machine contains', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { devDependencies: { node: string } };
    for (const { nodePackage } of imagePlatforms) expect(pinnedNode('image', nodePackage).version).toBe(devDependencies.node);
  });

  it.each([
    ['linux/arm64', ['arm64']],
    ['linux/arm64,linux/amd64', ['amd64', 'arm64']],
    ['linux/amd64,linux/arm64', ['amd64', 'arm64']],
  ])('%s are %j, in the same order however they are listed', (list, architectures) => {
    expect(parsePlatforms(list).map(({ architecture }) => architecture)).toEqual(architectures);
  });

  it.each(['', 'arm64', 'linux/riscv64', 'linux/arm64,', 'linux/arm64,linux/arm64'])('%j is refused with the names of all', (list) => {
    expect(() => parsePlatforms(list)).toThrow(
      `--platform ${JSON.stringify(list)}: must list some of linux/amd64, linux/arm64, each once, separated by commas`,
    );
  });
});
