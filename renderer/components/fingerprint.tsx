import type { ServerFingerprintDto } from '../../shared/dtos/network.ts'
import * as t from '../texts.ts'
import { CopyButton } from './copy-button.tsx'
import classes from './fingerprint.module.css'

/** Splits the hash into groups of four digits. */
const grouped = (hex: string) => hex.match(/.{1,4}/g)?.join(' ') ?? ''

/** Fingerprint of a server for comparison, in words and in hex. */
export const Fingerprint = ({ fingerprint: { words, hex } }: { fingerprint: ServerFingerprintDto }) => (
  <>
    <ol className={classes.words} aria-label={t.network.words}>
      {words.map((word, index) => (
        // The index is the key: two of the eight words may be equal.
        <li key={index}>{word}</li>
      ))}
    </ol>
    <p className="small muted" style={{ margin: 0 }}>
      {t.network.hex}
    </p>
    <p className={classes.hex}>
      <code className="small">{grouped(hex)}</code>
      <CopyButton text={hex} hint={t.network.copyHex} />
    </p>
  </>
)
