import { ActionIcon, Button, Stack, Tooltip } from '@mantine/core'
import { IconUpload, IconX } from '@tabler/icons-react'
import { useRef, useState, type ChangeEvent } from 'react'
import type { KeptUpload } from './kept-uploads.ts'
import type { sameFiles } from './same-files.ts'
import { files } from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { abandonUploads, resumeUpload } from './begin-upload.ts'
import { readChosen } from './local-files.ts'
import classes from './transfer-dock.module.css'

const t = files.transfers

/** Explains why the chosen files do not match, by the first mismatch. */
function othersWords(others: ReturnType<typeof sameFiles>['others']): string | undefined {
  const [first] = others
  return first && t.cut.others[first.difference](visibleName(first.part.name), others.length)
}

/** Focuses the page, since the focused row disappears. */
const leaveRow = () => document.getElementById('page')?.focus()

/** Upload interrupted by leaving the page; it resumes when its files are chosen again. */
export function CutRow({ upload }: { upload: KeptUpload }) {
  const field = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()
  const { parts, deviceName, target } = upload
  const name = visibleName(upload.name)
  const place = t.to(visibleName(deviceName), visibleName(target))
  const isFolder = parts.some(({ folders }) => folders.length > 0)
  const choose = t.cut.choose(isFolder, parts.length)
  const handleChosen = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    if (currentTarget.files && currentTarget.files.length > 0) {
      const others = resumeUpload(upload, readChosen(currentTarget.files))
      setProblem(othersWords(others))
      if (others.length === 0) {
        leaveRow()
      }
    }
    // Lets the same file be chosen again.
    currentTarget.value = ''
  }
  return (
    <li className={classes.transfer} data-state="cut">
      <IconUpload size={16} stroke={1.6} aria-label={t.kinds.upload} />
      <Stack gap={3} flex={1} miw={0}>
        <div className={classes.name} title={`${name} ${place}`}>
          <bdi className="truncate">{name}</bdi>
          <bdi className="truncate small muted">{place}</bdi>
        </div>
        <div className={`${classes.state} small tabular`} role="status">
          {problem ?? t.cut.state(parts.length)}
        </div>
      </Stack>
      <input
        ref={field}
        type="file"
        hidden
        multiple
        {...(isFolder && { webkitdirectory: '' })}
        onChange={handleChosen}
      />
      {parts.length > 0 && (
        <Button
          flex="none"
          size="compact-sm"
          variant="default"
          aria-label={t.cut.chooseName(choose, name)}
          onClick={() => field.current?.click()}
        >
          {choose}
        </Button>
      )}
      <Tooltip label={t.cut.giveUp(name)} multiline maw={320}>
        <ActionIcon
          aria-label={t.cut.giveUp(name)}
          onClick={() => {
            abandonUploads([upload])
            leaveRow()
          }}
        >
          <IconX size={16} />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}
