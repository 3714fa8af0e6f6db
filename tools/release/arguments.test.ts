import { describe, expect, it } from '@jest/globals';
import { parseOptions } from './arguments.ts';
import { archiveName, platformName } from './platforms.ts';

const parse = (...args: readonly string[]): ReturnType<typeof parseOptions> => parseOptions(['kubectl-kruise', ...args]);

describe('the command line of a release', () => {
  it('builds every platform with the version of package.json by default', () => {
    const { platforms, ...rest } = parse();
    expect(platforms.map(platformName)).toEqual(['linux/amd64', 'linux/arm64', 'darwin/amd64', 'darwin/arm64', 'windows/amd64']);
    expect(rest).toEqual({ version: undefined, baseUrl: undefined, out: undefined, help: false });
  });

  it.each([
    ['1.2.3', '1.2.3'],
    ['v1.2.3', '1.2.3'],
    ['1.2.3-rc.1', '1.2.3-rc.1'],
  ])('takes %s as version %s', (given, version) => expect(parse('--version', given).version).toBe(version));

  it('keeps the order of the release, and drops slashes at the end of the URL', () => {
    const { platforms, baseUrl } = parse('--platforms', 'windows/amd64,linux/arm64', '--base-url', 'https://example.com/v1//');
    expect(platforms.map((platform) => archiveName(platform, '1.0.0'))).toEqual([
      'kubectl-kruise_1.0.0_linux_arm64.tar.gz',
      'kubectl-kruise_1.0.0_windows_amd64.zip',
    ]);
    expect(baseUrl).toBe('https://example.com/v1');
  });

  it.each([
    [['--version', '1.2'], '--version "1.2": must be MAJOR.MINOR.PATCH'],
    [['--version', '1.2.3+build'], '--version "1.2.3+build": must be'],
    [['--platforms', 'windows/arm64'], '--platforms "windows/arm64": must be one of linux/amd64, linux/arm64, darwin/amd64'],
    [['--base-url', 'example.com'], '--base-url "example.com": must be an https URL'],
    [['manager'], 'kubectl-kruise manager: the only app with a release'],
    [['--nope'], "Unknown option '--nope'"],
  ])('refuses %j', (args, message) => expect(() => parse(...args)).toThrow(message));

  it('refuses a run without an app, unless help is requested', () => {
    expect(() => parseOptions([])).toThrow('no app: the only app');
    expect(parseOptions(['--help']).help).toBe(true);
  });
});
