import { Button, CloseButton, Group, Tooltip } from '@mantine/core'
import { IconClipboard } from '@tabler/icons-react'
import type { Entry } from '../../api/files.ts'
import * as t from '../../texts.ts'
import { byteSize } from '../../text/format.ts'
import { isInBar, offeredEntryActions, pasteAction } from './actions.ts'
import classes from './files.module.css'
import { focusFiles, usePageFiles } from './page-files.ts'

interface FilesFooterProps {
  entries: readonly Entry[]
  picked: readonly Entry[]
  hidden: number
  filtered: number
  isPartial: boolean
  /** Whether the folder has been read, so that its entries can be counted. */
  isKnown: boolean
  onShowHidden: () => void
  onClearFilter: () => void
  onClearSelection: () => void
}

const sizeOf = (entries: readonly Entry[]) => entries.reduce((total, { size }) => total + size, 0)

/** Entry counts, and actions for the selected entries. */
export function FilesFooter(props: FilesFooterProps) {
  const { entries, picked, hidden, filtered, isPartial, isKnown, onShowHidden, onClearFilter, onClearSelection } = props
  const context = { entries: picked, files: usePageFiles() }
  const { held } = context.files
  const files = picked.filter(({ isDirectory }) => !isDirectory)
  return (
    <div className={classes.footer}>
      <span className="small muted tabular" role="status">
        {picked.length > 0
          ? t.files.selected(picked.length, files.length > 0 ? byteSize(sizeOf(files)) : undefined)
          : isPartial
            ? t.files.loadingMore(entries.length)
            : isKnown && t.files.items(entries.length)}
      </span>
      {picked.length > 0 && (
        <Group gap="4px 6px" role="toolbar" aria-label={t.files.actions}>
          {offeredEntryActions(context)
            .filter(isInBar)
            .map(({ name, label, icon: Icon, run, isDangerous }) => (
              <Button
                key={name}
                size="compact-sm"
                variant={isDangerous ? 'light' : 'default'}
                color={isDangerous ? 'danger' : undefined}
                leftSection={Icon && <Icon size={14} />}
                onClick={() => run(context)}
              >
                {label}
              </Button>
            ))}
          <Tooltip label={t.files.clearSelection}>
            <CloseButton
              size="sm"
              aria-label={t.files.clearSelection}
              onClick={() => {
                onClearSelection()
                focusFiles()
              }}
            />
          </Tooltip>
        </Group>
      )}
      {held && context.files.paste && (
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconClipboard size={14} />}
          onClick={() => pasteAction.run(context.files)}
        >
          {t.files.pasteHint(held.isCut, held.entries.length)}
        </Button>
      )}
      {(hidden > 0 || filtered > 0) && (
        <span className={`${classes.leftOut} small muted tabular`}>
          {hidden > 0 && (
            <>
              {t.files.hiddenCount(hidden)}{' '}
              <button type="button" className="link-button" onClick={onShowHidden}>
                {t.files.show}
              </button>
            </>
          )}
          {filtered > 0 && (
            <>
              {t.files.filteredCount(filtered)}{' '}
              <button type="button" className="link-button" onClick={onClearFilter}>
                {t.files.clearFilter}
              </button>
            </>
          )}
        </span>
      )}
    </div>
  )
}
