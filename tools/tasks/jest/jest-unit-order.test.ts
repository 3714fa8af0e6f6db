import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import UnitOrder from './jest-unit-order.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-order-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('starts searches before other files, and of those the large ones first', () => {
  const bytes = {
    'small.test.ts': 1,
    'large.test.ts': 100,
    'x.property.test.ts': 5,
    'crash.test.ts': 2,
    'z.refused-writes.property.test.ts': 1,
    'y.golden.test.ts': 3,
  };
  const files = Object.entries(bytes).map(([name, size]) => {
    const path = join(folder, name);
    writeFileSync(path, 'x'.repeat(size));
    return { path };
  });
  const sorted = new UnitOrder().sort(files).map(({ path }) => basename(path));
  expect(sorted).toEqual([
    'z.refused-writes.property.test.ts',
    'crash.test.ts',
    'x.property.test.ts',
    'y.golden.test.ts',
    'large.test.ts',
    'small.test.ts',
  ]);
});
