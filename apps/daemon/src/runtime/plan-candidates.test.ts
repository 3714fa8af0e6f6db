import { describe, expect, it } from '@jest/globals';
import { planCandidates } from './plan-candidates.ts';

describe('--socket-file', () => {
  it.each<{ name: string; file: string; root?: string; paths: readonly string[]; notice?: string }>([
    { name: 'is below the mount', file: 'my/c.sock', paths: ['/hostvarrun/my/c.sock'] },
    { name: 'is below a mount that ends with slashes', file: 'c.sock', root: '/hostvarrun//', paths: ['/hostvarrun/c.sock'] },
    {
      name: 'may be a path of the host, whose folders may be the mount',
      file: 'unix:///var/run/k3s/c.sock',
      paths: ['/hostvarrun/k3s/c.sock', '/hostvarrun/c.sock'],
      notice:
        '--socket-file must be relative to /hostvarrun; "unix:///var/run/k3s/c.sock" is understood as /hostvarrun/k3s/c.sock or /hostvarrun/c.sock',
    },
    {
      name: 'may have extra slashes',
      file: '///c.sock',
      paths: ['/hostvarrun/c.sock'],
      notice: '--socket-file must be relative to /hostvarrun; "///c.sock" is understood as /hostvarrun/c.sock',
    },
    { name: 'may have the word unix in a name', file: 'a-unix://c.sock', paths: ['/hostvarrun/a-unix://c.sock'] },
  ])('$name', ({ file, root = '/hostvarrun', paths, notice }) => {
    expect(planCandidates(file, root, 'linux')).toEqual({ paths, ...(notice === undefined ? {} : { notice }) });
  });
});
