/** Texts with objects, where their fields are, and texts that cannot be read. */
import { describe, expect, it } from '@jest/globals';
import { readSource } from './source.ts';

const read = (text: string) => readSource({ place: 'a.yaml', text });
const faultsOf = (text: string): readonly string[] => read(text).faults.map(({ line, column, message }) => `${line}:${column}: ${message}`);
const head = 'apiVersion: v1\nkind: Pod\n';

describe('the place of a field', () => {
  const text = `# first
${head}metadata:
  annotations:
    example.com/a.b: x
spec:
  list:
    - name: a
    - { name: b, "quoted": 1 }
  map: &anchor
    app.kubernetes.io/name: web
    app: web
  again: *anchor
  merged:
    <<: *anchor
    own: 1
`;
  const [first] = read(text).objects;

  it.each<[path: string, line: number, column: number]>([
    ['', 2, 1],
    ['apiVersion', 2, 1],
    ['metadata.annotations[example.com/a.b]', 6, 5],
    ['spec.list', 8, 3],
    ['spec.list[0]', 9, 7],
    ['spec.list[1].quoted', 10, 18],
    ['spec.list[1].absent.more', 10, 7],
    ['spec.list[7]', 8, 3],
    ['spec.map.app.kubernetes.io/name', 12, 5],
    ['spec.map.app', 13, 5],
    ['spec.again.app', 13, 5],
    ['spec.replicas', 7, 1],
    ['status.replicas', 2, 1],
  ])('%s is in line %i, column %i', (path, line, column) => {
    expect(first?.locate(path)).toEqual({ line, column });
  });

  it('is in the item of a list', () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${head.trim().replaceAll('\n', '\n  ')}\n  spec:\n    a: 1\n`;
    const [item] = read(list).objects;
    expect(item?.object.kind).toBe('Pod');
    expect([item?.locate('spec.a'), item?.locate('')]).toEqual([
      { line: 7, column: 5 },
      { line: 4, column: 3 },
    ]);
  });

  it('is in the document of the object', () => {
    const [, second] = read(`---\n${head}---\n\n---\n${head}spec: {}\n`).objects;
    expect([second?.locate(''), second?.locate('spec')]).toEqual([
      { line: 7, column: 1 },
      { line: 9, column: 1 },
    ]);
  });

  it('is in JSON', () => {
    const [object] = read('{\n\t"apiVersion": "v1",\n\t"kind": "Pod",\n\t"spec": {"a": 1}\n}\n').objects;
    expect(object?.locate('spec.a')).toEqual({ line: 4, column: 11 });
  });
});

it('reads dates and times as texts, as kubectl does', () => {
  const [object] = read(`${head}metadata:\n  labels: {built: 2026-01-02, at: 22:30}\n`).objects;
  expect(object?.object['metadata']).toEqual({ labels: { built: '2026-01-02', at: '22:30' } });
});

describe('a text that cannot be read', () => {
  it.each<{ name: string; text: string; faults: readonly string[] }>([
    {
      name: 'is no YAML',
      text: 'a: [1',
      faults: ['1:6: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    },
    { name: 'has a tab as indentation', text: `${head}spec:\n\ta: 1\n`, faults: ['4:1: Tabs are not allowed as indentation'] },
    { name: 'has a key twice', text: `${head}spec:\n  a: 1\n  a: 2\n`, faults: ['5:3: Map keys must be unique'] },
    { name: 'contains NUL bytes', text: `${head}spec:\n  a: "\0"\n`, faults: ['4:7: the text contains NUL bytes: it is not YAML or JSON'] },
    { name: 'is a list of lists', text: '- - a\n', faults: ['1:1: the document is not an object'] },
    { name: 'is a word', text: 'hello\n', faults: ['1:1: the document is not an object'] },
    { name: 'has no kind', text: 'apiVersion: v1\n', faults: ['1:1: the document has no kind'] },
    { name: 'has a number as apiVersion', text: 'kind: Pod\napiVersion: 1\n', faults: ['1:1: the document has no apiVersion'] },
    {
      name: 'has a list with an item that is no object',
      text: 'apiVersion: v1\nkind: List\nitems:\n- 7\n',
      faults: ['4:3: items[0] is not an object'],
    },
    {
      name: 'has an alias without an anchor',
      text: `${head}spec: *none\n`,
      faults: ['1:1: Unresolved alias (the anchor must be set before the alias): none'],
    },
    { name: 'is empty', text: '', faults: [] },
    { name: 'contains comments alone', text: '# nothing\n---\n# more\n', faults: [] },
  ])('that $name', ({ text, faults }) => {
    expect(faultsOf(text)).toEqual(faults);
    expect(read(text).objects).toEqual([]);
  });

  it('does not keep other documents from being read', () => {
    const { objects, faults } = read(`${head}---\na: [\n---\n${head}`);
    expect([objects.length, faults.length]).toEqual([2, 1]);
  });

  it('has too many aliases', () => {
    const levels = 'abcdefgh'.split('').map(
      (name, i) =>
        `${name}: &${name} [${Array(9)
          .fill(i === 0 ? 'x' : `*${'abcdefgh'[i - 1] ?? ''}`)
          .join(',')}]`,
    );
    expect(faultsOf(`${head}${levels.join('\n')}\n`)).toEqual(['1:1: Excessive alias count indicates a resource exhaustion attack']);
  });

  it('has more than 16 MiB', () => {
    expect(faultsOf('#'.repeat(16 * 2 ** 20 + 1))).toEqual(['1:1: the text has more than 16 MiB: split it']);
  });
});

describe('what a text asks to ignore', () => {
  it('is in comments of its document and in the annotation of the object', () => {
    const text = `# kruise-lint: ignore=KR101\n${head}spec: {}\n---\n${head}metadata:\n  annotations:\n    kubectl-kruise/lint-ignore: KR102, KR103\n# kruise-lint: ignore=KR104,KR105\nspec: {}\n`;
    const [first, second] = read(text).objects.map(({ extent }) => extent);
    expect(first).toEqual({ firstLine: 2, comments: [{ line: 1, ids: ['KR101'] }], annotated: [] });
    expect(second).toEqual({ firstLine: 6, comments: [{ line: 11, ids: ['KR104', 'KR105'] }], annotated: ['KR102', 'KR103'] });
  });

  it('is in comments before a list, before an item and in it', () => {
    const item = (id: string): string => `# kruise-lint: ignore=${id}1\n- apiVersion: v1\n  # kruise-lint: ignore=${id}2\n  kind: Pod\n`;
    const text = `# kruise-lint: ignore=KR001\napiVersion: v1\nkind: List\nitems:\n${item('KR10')}\n${item('KR20')}`;
    const idsOf = read(text).objects.map(({ extent }) => extent.comments.flatMap(({ ids }) => ids));
    expect(idsOf[0]?.slice(0, 3)).toEqual(['KR001', 'KR101', 'KR102']);
    expect(idsOf[1]).toEqual(['KR001', 'KR201', 'KR202']);
  });
});
