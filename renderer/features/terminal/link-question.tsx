import { Button, Group, Kbd } from '@mantine/core'
import * as t from '../../texts.ts'
import { visibleText } from './pending-input.ts'
import classes from './over-terminal.module.css'

interface LinkQuestionProps {
  address: string
  onClose: () => void
}

/** Confirms opening a link of the device, with its whole address. Esc cancels. */
export function LinkQuestion({ address, onClose }: LinkQuestionProps) {
  const { href, host } = new URL(address)
  return (
    <div
      className={classes.question}
      role="dialog"
      aria-label={t.terminal.linkTitle}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <p>
        <strong>{t.terminal.linkAsk(host)}</strong>
      </p>
      <pre className={classes.text} aria-label={t.terminal.linkAddress} tabIndex={0}>
        {visibleText(href)}
      </pre>
      <p className="small muted">{t.terminal.linkWarning}</p>
      <Group gap={8} mt={8}>
        <Button
          component="a"
          href={href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          size="compact-sm"
          onClick={onClose}
        >
          {t.terminal.linkOpen}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          data-autofocus
          autoFocus
          onClick={onClose}
          rightSection={<Kbd size="xs">Esc</Kbd>}
        >
          {t.common.cancel}
        </Button>
      </Group>
    </div>
  )
}
