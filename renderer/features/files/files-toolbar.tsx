import { Button, CloseButton, FileButton, Group, Menu, TextInput } from '@mantine/core'
import { IconChevronDown, IconEye, IconFilter, IconLayoutSidebar, IconUpload } from '@tabler/icons-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { textProps } from '../../components/field-props.ts'
import { ActionButton } from '../../components/action-button.tsx'
import type { Action } from '../../components/actions.ts'
import { readChosen } from '../transfers/local-files.ts'
import * as t from '../../texts.ts'
import type { SortOrder } from './entry-order.ts'
import { byteSize } from '../../text/format.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { moveActions, newFolderAction } from './actions.ts'
import classes from './files.module.css'
import type { TreePlace } from './folder-pane.tsx'
import { focusFiles, usePageFiles } from './page-files.ts'
import { useTransferLimit } from './use-transfer-limit.ts'

/** View that the user chose; stored in this browser, but for the filter. */
export interface FilesView {
  order: SortOrder
  setOrder: (order: SortOrder) => void
  filter: string
  setFilter: (filter: string) => void
  showsHidden: boolean
  setShowsHidden: (showsHidden: boolean) => void
  tree: TreePlace
}

const treeAction: Action<FilesView> = {
  name: 'tree',
  label: t.files.treeToggle,
  icon: IconLayoutSidebar,
  isOn: ({ tree }) => tree.isShown,
  run: ({ tree }) => tree.toggle(),
}
const hiddenAction: Action<FilesView> = {
  name: 'hidden',
  label: t.files.showHidden,
  icon: IconEye,
  isOn: ({ showsHidden }) => showsHidden,
  run: ({ showsHidden, setShowsHidden }) => setShowsHidden(!showsHidden),
}

/**
 * Upload button, with a folder option if the user may create folders. While the device is offline the button is
 * disabled but its file inputs stay mounted: an open file chooser would otherwise lose its result without an event.
 */
function UploadButton({ mayMakeFolders }: { mayMakeFolders: boolean }) {
  const { folder, upload } = usePageFiles()
  const folderField = useRef<HTMLInputElement>(null)
  const reset = useRef<() => void>(null)
  const { limit } = useTransferLimit()
  const { isOnline } = usePageDevice().device
  const limitText = Number.isFinite(limit) ? t.files.limit(byteSize(limit)) : undefined
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
                  {t.files.upload}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={onClick}>{t.files.uploadFiles}</Menu.Item>
                <Menu.Item onClick={() => folderField.current?.click()}>{t.files.uploadFolder}</Menu.Item>
                {limitText !== undefined && <Menu.Label>{limitText}</Menu.Label>}
              </Menu.Dropdown>
            </Menu>
            <input
              ref={folderField}
              type="file"
              hidden
              {...{ webkitdirectory: '' }}
              aria-label={t.files.uploadFolder}
              onChange={({ currentTarget }) => {
                send(currentTarget.files)
                currentTarget.value = ''
              }}
            />
          </>
        ) : (
          <Button {...look} onClick={onClick} title={limitText}>
            {t.files.upload}
          </Button>
        )
      }
    </FileButton>
  )
}

/** Filter of the list; `/` focuses the field. */
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
      aria-label={t.files.filter}
      placeholder={t.files.filter}
      leftSection={<IconFilter size={14} stroke={1.6} />}
      rightSection={filter && <CloseButton size="sm" aria-label={t.files.clearFilter} onClick={() => onFilter('')} />}
      {...textProps(filter, onFilter)}
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

/** Toolbar with navigation, filter, and actions of the folder on screen. */
export function FilesToolbar({ path, view }: { path: ReactNode; view: FilesView }) {
  const files = usePageFiles()
  return (
    <div className={classes.toolbar} role="toolbar" aria-label={t.files.toolbar}>
      <Group gap={4} wrap="nowrap">
        <ActionButton action={treeAction} context={view} size={32} />
        {moveActions.map((action) => (
          <ActionButton key={action.name} action={action} context={files} size={32} />
        ))}
      </Group>
      {path}
      <Group gap={4} wrap="nowrap">
        <FilterField filter={view.filter} onFilter={view.setFilter} />
        <ActionButton action={hiddenAction} context={view} size={32} />
        {files.createFolder && <ActionButton action={newFolderAction} context={files} size={32} />}
        <UploadButton mayMakeFolders={files.createFolder !== undefined} />
      </Group>
    </div>
  )
}
