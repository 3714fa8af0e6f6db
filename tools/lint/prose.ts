/** Finds phrases that read as a translation, in pages, in comments and in titles of tests. Code, quoted texts and addresses of links do not count. */
import ts from 'typescript';

/** One phrase at one place. */
export interface PhraseFinding {
  /** Counted from 1. */
  readonly line: number;
  readonly phrase: string;
  /** What to write in its place. */
  readonly instead: string;
}

export type TextKind = 'page' | 'code' | 'yaml';

interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Upper and lower case count the same, and any white space between two words. */
const rule = (phrase: string, instead: string): Rule => ({
  pattern: new RegExp(String.raw`\b(?:${phrase.replaceAll(' ', String.raw`\s+(?:\*\s+|//\s+)?`)})\b`, 'gi'),
  instead,
});

const rules: readonly Rule[] = [
  rule('anew', '"again", or "is recreated"'),
  rule('stands?(?! in for\\b)|stood', '"is", "is defined in", "makes no progress", "is stuck" or "means"'),
  rule('told|tells?', '"reports", "shows", "is reported" or "is distinguished by"'),
  rule('goes(?! (?:through|to|into)\\b)', '"is deleted", "returns" or "continues"'),
  rule('(?:is|are|was|were|has|have) gone', '"is deleted" or "no longer exists"'),
  rule('on (?:its|their) way out', '"is being deleted"'),
  rule('nobody|no one', '"no client", "no user" or the passive with the actor'),
  rule('whoever|somebody|someone', 'the actor: "a user who", "a client", "another controller"'),
  rule('for ever', '"permanently" or "indefinitely"'),
  rule('(?:is|are|was|were) to be|shall', '"will be" or "must"'),
  rule('(?:a|no|its|their) most', 'the name of the field, such as `maxReplicas`'),
  rule('(?:(?<!at )the|a|its|their) least(?! \\w)|the least of', 'the name of the field, such as `minReplicas`'),
  rule('its like|the same holds', '"similar objects" or "this also applies to"'),
  rule("what (?:[\\w']+ ){1,4}is about", '"what it covers"'),
  rule('asks again', '"retries"'),
  rule('look(?:s|ed)? again', '"requeue after"'),
  rule('the end is the same', '"the result is the same"'),
  rule('turns? back|(?<!clocks? )(?:is|was|are|were|been) set back', '"rolls back" or "is restored from an older backup"'),
  rule('by the clock', '"on a schedule"'),
  rule('finds? no room', '"cannot be scheduled"'),
  rule('in (?:its|their) stead', '"in its place"'),
  rule('worlds?|lives|life|story|stories', '"fixture", "run", "lifetime" or "scenario"'),
  rule('wakes?|woken|waking', '"enqueues"'),
  rule('(?:ask|asks|asked|asking) for', '"requests"'),
  rule('(?:hold|holds|held) up', '"delays"'),
  rule('(?:leave|leaves|leaving|left) out', '"omits" or "skips"'),
  rule('again and again', '"repeatedly"'),
];

/** The text with everything that `pattern` matches blanked out; lines stay where they are. */
const blank = (text: string, pattern: RegExp): string => text.replaceAll(pattern, (match) => match.replaceAll(/[^\n]/g, ' '));

/** Code font, links to code, and quoted texts, which may continue on the next line. */
const quoted: readonly RegExp[] = [/(`+)[^`](?:(?!\1)[\s\S])*?\1/g, /\{@link [^}]*\}/g, /"[^"\n]*(?:\n[^"\n]*)?"/g];

const withoutQuotes = (text: string): string => quoted.reduce(blank, text);

const withoutCode = (page: string): string =>
  withoutQuotes(blank(blank(blank(page, /^( *)(```+).*\n[\s\S]*?^\1\2 *$/gm), /<!--[\s\S]*?-->/g), /\]\([^)\s]*\)/g));

const isComment = (token: ts.SyntaxKind): boolean =>
  token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia;

const isText = (token: ts.SyntaxKind): boolean =>
  token === ts.SyntaxKind.StringLiteral || token === ts.SyntaxKind.NoSubstitutionTemplateLiteral;

/** Tokens behind which a slash divides; behind all others it begins a regular expression. */
const endsValue = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.Identifier,
  ts.SyntaxKind.NumericLiteral,
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.CloseParenToken,
  ts.SyntaxKind.CloseBracketToken,
  ts.SyntaxKind.CloseBraceToken,
]);

/** Returns whether a string behind these tokens is a title: of `it('…')`, or of a table, `it.each(…)('…')`. */
const isTitleBehind = ([first = '', second = '', third = '']: readonly string[]): boolean =>
  third === '(' && (second === ')' || (first !== '.' && ['describe', 'it', 'test'].includes(second)));

/** The text with only its comments and the titles of its tests left, each where it was. A scanner is far quicker than a parser. */
function commentsAndTitlesOf(source: string): string {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, source);
  const kept = blank(source, /[\s\S]+/g).split('');
  const keep = (start: number, end: number): void => {
    for (let at = start; at < end; at++) kept[at] = source.charAt(at);
  };
  const braces: ts.SyntaxKind[] = [];
  let tokens: readonly string[] = ['', '', ''];
  let before = ts.SyntaxKind.Unknown;
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === ts.SyntaxKind.SlashToken && !endsValue.has(before)) token = scanner.reScanSlashToken();
    if (token === ts.SyntaxKind.OpenBraceToken || token === ts.SyntaxKind.TemplateHead) braces.push(token);
    if (token === ts.SyntaxKind.CloseBraceToken && braces.at(-1) === ts.SyntaxKind.TemplateHead) token = scanner.reScanTemplateToken(false);
    if (token === ts.SyntaxKind.CloseBraceToken || token === ts.SyntaxKind.TemplateTail) braces.pop();
    const [start, end] = [scanner.getTokenStart(), scanner.getTokenEnd()];
    if (isComment(token)) keep(start, end);
    if (token <= ts.SyntaxKind.LastTriviaToken) continue;
    if (isText(token) && isTitleBehind(tokens)) keep(start + 1, end - 1);
    tokens = [...tokens.slice(-2), source.slice(start, end)];
    before = token;
  }
  return kept.join('');
}

const proseOf: Readonly<Record<TextKind, (text: string) => string>> = {
  page: withoutCode,
  code: (text) => withoutQuotes(commentsAndTitlesOf(text)),
  yaml: (text) => withoutQuotes(text.replaceAll(/^.*$/gm, (line) => (/(?<=^|\s)#.*$/.exec(line)?.[0] ?? '').padStart(line.length))),
};

const findIn = (prose: string): readonly PhraseFinding[] =>
  rules
    .flatMap(({ pattern, instead }) => [...prose.matchAll(pattern)].map((match) => ({ match, instead })))
    .toSorted((a, b) => a.match.index - b.match.index)
    .map(({ match, instead }) => ({
      line: prose.slice(0, match.index).split('\n').length,
      phrase: match[0].replaceAll(/\s+/g, ' '),
      instead,
    }));

/** The phrases of a file, in the order of its lines. */
export function findPhrases(text: string, kind: TextKind): readonly PhraseFinding[] {
  // Few files have a phrase even in their code.
  return findIn(text).length === 0 ? [] : findIn(proseOf[kind](text));
}
