import type { ServerFingerprintDto } from '../../shared/dtos/network.ts'
import { en as t } from '../strings/en.ts'
import { CopyButton } from './copy-button.tsx'
import classes from './fingerprint.module.css'

/** The hash in groups that the eye can keep. */
const grouped = (hex: string) => hex.match(/.{1,4}/g)?.join(' ') ?? ''

/** The identity of a server, to be compared: in words first, for they can be read out. */
export const Fingerprint = ({ fingerprint: { words, hex } }: { fingerprint: ServerFingerprintDto }) => (
  <>
    <ol className={classes.words} aria-label={t.network.words}>
      {words.map((word, index) => (
        // Two of eight words may be the same.
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
