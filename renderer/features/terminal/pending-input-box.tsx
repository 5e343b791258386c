import { Button, Group, Kbd } from '@mantine/core'
import * as t from '../../texts.ts'
import { besideCursor } from './beside-cursor.ts'
import { visibleText } from './pending-input.ts'
import classes from './over-terminal.module.css'
import type { Xterm } from './xterm.ts'

/** Width in the style sheet. */
const width = 372

interface PendingInputBoxProps {
  text: string
  xterm: Xterm
  /** Whether a shell could receive the text. */
  isReady: boolean
  onSend: () => void
  onDrop: () => void
}

/** Shows pending input at the cursor until the user sends or discards it. */
export const PendingInputBox = ({ text, xterm, isReady, onSend, onDrop }: PendingInputBoxProps) => (
  <div className={classes.pending} style={besideCursor(xterm, width)} role="group" aria-label={t.terminal.pending}>
    <p role="alert">
      <strong>{isReady ? t.terminal.pendingReady : t.terminal.pending}</strong>
    </p>
    <pre className={classes.text} aria-label={t.terminal.pendingText} tabIndex={0}>
      {visibleText(text)}
    </pre>
    {isReady && <p className="small muted">{t.terminal.pendingLook}</p>}
    <Group gap={8} mt={8}>
      {isReady ? (
        <Button size="compact-sm" onClick={onSend} rightSection={<Kbd size="xs">Ctrl+Enter</Kbd>}>
          {t.terminal.pendingSend}
        </Button>
      ) : (
        <span className="small muted">{t.terminal.pendingHint}</span>
      )}
      <Button size="compact-sm" variant="default" onClick={onDrop} rightSection={<Kbd size="xs">Esc</Kbd>}>
        {t.common.discard}
      </Button>
    </Group>
  </div>
)
