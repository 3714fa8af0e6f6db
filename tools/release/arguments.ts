/** The command line of `npm run release`. Pure. */
import { parseArgs } from 'node:util';
import { platformName, platforms, type Platform } from './platforms.ts';

export const usage = `usage: npm run release -- kubectl-kruise [OPTION ...]

Builds the kubectl plugin into dist/release: an archive for each platform, an npm package, the manifest for Krew, a bill of materials and the checksums.

options
  --version VERSION     of the release, e.g. 1.2.3 (default: that of package.json)
  --platforms LIST      archives to build (default: ${platforms.map(platformName).join(',')})
  --base-url URL        where the archives will be published; without it, no manifest for Krew is written
  --out FOLDER          in place of dist/release`;

export interface Options {
  /** Without `v`; undefined for the version of `package.json`. */
  readonly version: string | undefined;
  readonly platforms: readonly Platform[];
  /** Without a slash at the end. */
  readonly baseUrl: string | undefined;
  readonly out: string | undefined;
  readonly help: boolean;
}

/** @see https://semver.org: a version without build metadata, which file names and npm do not keep */
const versionPattern = /^v?((?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)$/;

function versionOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const version = versionPattern.exec(text)?.[1];
  if (version === undefined) throw new Error(`--version ${JSON.stringify(text)}: must be MAJOR.MINOR.PATCH, optionally with -PRERELEASE`);
  return version;
}

function platformsOf(text: string | undefined): readonly Platform[] {
  if (text === undefined) return platforms;
  const names = text.split(',');
  const unknown = names.find((name) => !platforms.some((platform) => platformName(platform) === name));
  if (unknown !== undefined)
    throw new Error(`--platforms ${JSON.stringify(unknown)}: must be one of ${platforms.map(platformName).join(', ')}`);
  return platforms.filter((platform) => names.includes(platformName(platform)));
}

function baseUrlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:')
    throw new Error(`--base-url ${JSON.stringify(text)}: must be an https URL`);
  return text.replace(/\/+$/, '');
}

/** @throws with what is wrong */
export function parseOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { version: text, platforms: text, 'base-url': text, out: text, help: { type: 'boolean', default: false, short: 'h' } },
  });
  const [app = 'no app', ...rest] = positionals;
  if (!values.help && (app !== 'kubectl-kruise' || rest.length > 0))
    throw new Error(`${[app, ...rest].join(' ')}: the only app with a release of its own is kubectl-kruise`);
  return {
    version: versionOf(values.version),
    platforms: platformsOf(values.platforms),
    baseUrl: baseUrlOf(values['base-url']),
    out: values.out,
    help: values.help,
  };
}
