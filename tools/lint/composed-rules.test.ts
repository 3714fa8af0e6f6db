import { describe, expect, it } from '@jest/globals';

interface Block {
  readonly files?: readonly string[];
  readonly rules?: Readonly<Record<string, unknown>>;
}

const name = 'no-restricted-syntax';
const configuration = '../../eslint.config.mjs';
const { default: config } = (await import(configuration)) as { readonly default: readonly Block[] };

/** The selectors that each block of the configuration refuses, by the files of the block. */
const blocks = config.flatMap(({ files, rules }) => {
  const entry = rules?.[name];
  if (!Array.isArray(entry)) return [];
  const selectors = (entry.slice(1) as readonly { readonly selector: string }[]).map(({ selector }) => selector);
  return [{ files: String(files), selectors }];
});

describe('a block of the linter that replaces the refused syntax', () => {
  it.each(blocks)('still refuses exports without a name: $files', ({ selectors }) => {
    expect(selectors).toEqual(expect.arrayContaining(['ExportAllDeclaration', 'ExportDefaultDeclaration']));
  });

  it('exists: pure code and unit tests have rules of their own', () => {
    expect(blocks.length).toBeGreaterThan(2);
  });
});
