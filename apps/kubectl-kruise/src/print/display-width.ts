/** How many columns of a terminal a text takes. */

/** Ranges of East Asian wide and full-width characters, and of emoji, by code point. */
const wide: readonly (readonly [from: number, to: number])[] = [
  [0x11_00, 0x11_5f],
  [0x2e_80, 0x30_3e],
  [0x30_41, 0xa4_cf],
  [0xa9_60, 0xa9_7c],
  [0xac_00, 0xd7_a3],
  [0xf9_00, 0xfa_ff],
  [0xfe_30, 0xfe_6f],
  [0xff_00, 0xff_60],
  [0xff_e0, 0xff_e6],
  [0x1_f3_00, 0x1_f6_4f],
  [0x1_f6_80, 0x1_f6_ff],
  [0x1_f9_00, 0x1_fa_ff],
  [0x2_00_00, 0x3_ff_fd],
];

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function widthOfGrapheme(grapheme: string): number {
  const point = grapheme.codePointAt(0) ?? 0;
  if (/^[\p{Mn}\p{Me}\p{Cf}]/u.test(grapheme)) return 0;
  const isWide = wide.some(([from, to]) => point >= from && point <= to) || /\p{Emoji_Presentation}|\u{FE0F}/u.test(grapheme);
  return isWide ? 2 : 1;
}

/** Texts of nothing else need no segmenter: one column for each character. */
const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);

/** Returns the columns of a text without escape sequences and control characters. */
export const displayWidth = (text: string): number =>
  isAscii(text) ? text.length : [...graphemes.segment(text)].reduce((sum, { segment }) => sum + widthOfGrapheme(segment), 0);

/** Returns the text with at most so many columns; one that is cut ends with `…`. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let left = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= widthOfGrapheme(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Returns the text in one line: an object's message may contain anything, also what a terminal would obey. */
export const plainText = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');
