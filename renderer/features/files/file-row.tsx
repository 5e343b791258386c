import { IconFile, IconFileSymlink, IconFolder, IconFolderSymlink } from '@tabler/icons-react'
import { memo } from 'react'
import type { Entry } from '../../api/files.ts'
import * as t from '../../texts.ts'
import { byteSize, exactTime, moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { attributesOf } from './entry-order.ts'
import classes from './file-list.module.css'

interface FileRowProps {
  entry: Entry
  id: string
  index: number
  top: number
  isCursor: boolean
  isPicked: boolean
  /** Whether it was cut, and will be moved when it is pasted. */
  isCut: boolean
  canDrag: boolean
}

const iconOf = ({ isDirectory, isLink }: Entry) =>
  isDirectory ? (isLink ? IconFolderSymlink : IconFolder) : isLink ? IconFileSymlink : IconFile

/** Row of a file or folder. */
export const FileRow = memo(function FileRow(props: FileRowProps) {
  const { entry, id, index, top, isCursor, isPicked, isCut, canDrag } = props
  const Icon = iconOf(entry)
  const name = visibleName(entry.name)
  const changed = Date.parse(entry.lastModified)
  return (
    <div
      id={id}
      className={classes.row}
      style={{ transform: `translateY(${top}px)` }}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isPicked}
      data-index={index}
      data-path={entry.fullPath}
      data-cursor={isCursor || undefined}
      data-hidden={entry.isHidden || undefined}
      data-folder={entry.isDirectory || undefined}
      data-cut={isCut || undefined}
      draggable={canDrag || undefined}
    >
      <div className={classes.check} role="gridcell">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t.files.selectOne(name)}
          checked={isPicked}
          readOnly
          data-check
        />
      </div>
      <div className={classes.name} role="gridcell" title={name}>
        <Icon size={18} stroke={1.5} aria-hidden />
        <bdi className="truncate">{name}</bdi>
        {entry.isDirectory && <span className="visually-hidden">{t.files.folder}</span>}
      </div>
      <div className={`${classes.size} tabular`} role="gridcell">
        {!entry.isDirectory && <span title={`${entry.size.toLocaleString()} B`}>{byteSize(entry.size)}</span>}
      </div>
      <div className={`${classes.changed} tabular`} role="gridcell">
        {changed > 0 && (
          <time dateTime={entry.lastModified} title={exactTime(changed)}>
            {moment(changed)}
          </time>
        )}
      </div>
      <div className={classes.attributes} role="gridcell">
        {attributesOf(entry)
          .map((attribute) => t.files[attribute])
          .join(', ')}
      </div>
    </div>
  )
})
