import { ActionIcon, Button, CloseButton, FileButton, Menu, TextInput, Tooltip } from '@mantine/core'
import {
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconChevronDown,
  IconEye,
  IconEyeOff,
  IconFilter,
  IconFolderPlus,
  IconLayoutSidebar,
  IconRefresh,
  IconUpload,
  type Icon,
} from '@tabler/icons-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { readChosen } from '../transfers/local-files.ts'
import { files as t } from '../../strings/en-files.ts'
import { byteSize } from '../../strings/format.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import classes from './files.module.css'
import { focusFiles, usePageFiles } from './page-files.ts'
import { useTransferLimit } from './use-transfer-limit.ts'

interface ToolProps {
  label: string
  /** With the key, for the tooltip. */
  hint?: string
  icon: Icon
  isOn?: boolean
  onClick: (() => void) | undefined
}

/** A tool that cannot be used now stays in its place, and keeps the focus. */
const Tool = ({ label, hint = label, icon: Icon, isOn, onClick }: ToolProps) => (
  <Tooltip label={hint}>
    <ActionIcon
      size={32}
      aria-label={label}
      aria-pressed={isOn}
      data-disabled={onClick ? undefined : true}
      aria-disabled={!onClick}
      onClick={onClick}
    >
      <Icon size={18} stroke={1.6} />
    </ActionIcon>
  </Tooltip>
)

/**
 * Uploads files, and folders where the person may make some. While the device is offline the button is disabled but its file
 * fields stay: a chooser may be open, and what is chosen in a field that left the page is lost without an event.
 */
function UploadButton({ mayMakeFolders }: { mayMakeFolders: boolean }) {
  const { folder, upload } = usePageFiles()
  const folderField = useRef<HTMLInputElement>(null)
  const reset = useRef<() => void>(null)
  const { limit } = useTransferLimit()
  const { isOnline } = usePageDevice().device
  const limitText = Number.isFinite(limit) ? t.limit(byteSize(limit)) : undefined
  if (!upload || folder === '') {
    return null
  }
  const send = (files: FileList | null) => {
    if (files && files.length > 0) {
      upload(folder, Promise.resolve(readChosen(files)))
    }
    focusFiles()
  }
  const look = {
    size: 'compact-md',
    leftSection: <IconUpload size={16} stroke={1.6} />,
    disabled: !isOnline,
  } as const
  return (
    <FileButton
      multiple
      resetRef={reset}
      onChange={(files) => {
        upload(folder, Promise.resolve(files.map((file) => ({ file, folders: [] }))))
        reset.current?.()
        focusFiles()
      }}
    >
      {({ onClick }) =>
        mayMakeFolders ? (
          <>
            <Menu position="bottom-end" returnFocus>
              <Menu.Target>
                <Button {...look} rightSection={<IconChevronDown size={14} />}>
                  {t.upload}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={onClick}>{t.uploadFiles}</Menu.Item>
                <Menu.Item onClick={() => folderField.current?.click()}>{t.uploadFolder}</Menu.Item>
                {limitText !== undefined && <Menu.Label>{limitText}</Menu.Label>}
              </Menu.Dropdown>
            </Menu>
            <input
              ref={folderField}
              type="file"
              hidden
              {...{ webkitdirectory: '' }}
              aria-label={t.uploadFolder}
              onChange={({ currentTarget }) => {
                send(currentTarget.files)
                currentTarget.value = ''
              }}
            />
          </>
        ) : (
          <Button {...look} onClick={onClick} title={limitText}>
            {t.upload}
          </Button>
        )
      }
    </FileButton>
  )
}

/** `/` goes to it, as to the search of other lists. */
function FilterField({ filter, onFilter }: { filter: string; onFilter: (filter: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const isShown = useTabIsShown()
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches('input:not([type=checkbox]), textarea, select')
      if (event.key === '/' && !isTyping && !event.defaultPrevented && isShown) {
        event.preventDefault()
        field.current?.select()
        field.current?.focus()
      }
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [isShown])
  return (
    <TextInput
      ref={field}
      className={classes.filter}
      role="searchbox"
      aria-label={t.filter}
      placeholder={t.filter}
      leftSection={<IconFilter size={14} stroke={1.6} />}
      rightSection={filter && <CloseButton size="sm" aria-label={t.clearFilter} onClick={() => onFilter('')} />}
      value={filter}
      onChange={(event) => onFilter(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          onFilter('')
          focusFiles()
        } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
          event.preventDefault()
          focusFiles()
        }
      }}
    />
  )
}

interface FilesToolbarProps {
  path: ReactNode
  filter: string
  onFilter: (filter: string) => void
  showsHidden: boolean
  onShowHidden: (showsHidden: boolean) => void
  showsTree: boolean
  onShowTree: (showsTree: boolean) => void
}

/** Ways through the folders, and what can be done with the one on screen. */
export function FilesToolbar(props: FilesToolbarProps) {
  const { path, filter, onFilter, showsHidden, onShowHidden, showsTree, onShowTree } = props
  const { back, forward, up, refresh, createFolder } = usePageFiles()
  const moved = (move: (() => void) | undefined) =>
    move &&
    (() => {
      move()
      focusFiles()
    })
  return (
    <div className={classes.toolbar} role="toolbar" aria-label={t.toolbar}>
      <div className={classes.tools}>
        <Tool label={t.treeToggle} icon={IconLayoutSidebar} isOn={showsTree} onClick={() => onShowTree(!showsTree)} />
        <Tool label={t.back} hint={t.backHint} icon={IconArrowLeft} onClick={moved(back)} />
        <Tool label={t.forward} hint={t.forwardHint} icon={IconArrowRight} onClick={moved(forward)} />
        <Tool label={t.up} hint={t.upHint} icon={IconArrowUp} onClick={moved(up)} />
        <Tool label={t.refresh} icon={IconRefresh} onClick={refresh} />
      </div>
      {path}
      <div className={classes.tools}>
        <FilterField filter={filter} onFilter={onFilter} />
        <Tool
          label={t.showHidden}
          hint={showsHidden ? t.hideHidden : t.showHidden}
          icon={showsHidden ? IconEye : IconEyeOff}
          isOn={showsHidden}
          onClick={() => onShowHidden(!showsHidden)}
        />
        {createFolder && (
          <Tool label={t.newFolder} hint={t.newFolderHint} icon={IconFolderPlus} onClick={createFolder} />
        )}
        <UploadButton mayMakeFolders={createFolder !== undefined} />
      </div>
    </div>
  )
}
