import { Button, Checkbox, Group, Kbd } from '@mantine/core'
import { useState } from 'react'
import { checkProps } from '../../components/field-props.ts'
import * as t from '../../texts.ts'
import { visibleText } from './pending-input.ts'
import classes from './over-terminal.module.css'

/** Number of lines of a text; a trailing line break does not count as another line. */
const linesIn = (text: string) => text.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/).length

interface PasteQuestionProps {
  text: string
  /** `isLast`: do not ask again. */
  onPaste: (isLast: boolean) => void
  onCancel: () => void
}

/** Confirms pasting several lines. Enter pastes, Esc cancels. */
export function PasteQuestion({ text, onPaste, onCancel }: PasteQuestionProps) {
  const [isLast, setIsLast] = useState(false)
  const lines = linesIn(text)
  return (
    <div
      className={classes.question}
      role="dialog"
      aria-label={t.terminal.pasteLines(lines)}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <p>
        <strong>{t.terminal.pasteAsk(lines)}</strong>
      </p>
      <pre className={classes.text} aria-label={t.terminal.pasteText} tabIndex={0}>
        {visibleText(text)}
      </pre>
      <Checkbox size="xs" label={t.terminal.pasteNeverAsk} {...checkProps(isLast, setIsLast)} />
      <Group gap={8} mt={8}>
        <Button size="compact-sm" data-autofocus autoFocus onClick={() => onPaste(isLast)}>
          {t.terminal.pasteLines(lines)}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onCancel} rightSection={<Kbd size="xs">Esc</Kbd>}>
          {t.common.cancel}
        </Button>
      </Group>
    </div>
  )
}
