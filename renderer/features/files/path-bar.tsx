import { Autocomplete } from '@mantine/core'
import { IconChevronRight, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { fileQueries } from '../../api/files.ts'
import { api } from '../../api/http.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { crumbsOf, pathOfSegments, separatorOf } from '../../api/device-path.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './files.module.css'
import { focusFiles, usePageFiles } from './page-files.ts'

const settleMs = 150

/** Text up to the last separator: the folder whose subfolders complete the rest. */
const folderOf = (typed: string) => typed.slice(0, Math.max(typed.lastIndexOf('/'), typed.lastIndexOf('\\')) + 1)

function useCompletions(typed: string) {
  const { place } = usePageFiles()
  const [settled, setSettled] = useState('')
  const wanted = folderOf(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(wanted), settleMs)
    return () => clearTimeout(timer)
  }, [wanted])
  const { data } = useQuery({ ...fileQueries.subfolders(place, settled), enabled: settled !== '' })
  return settled === wanted
    ? (data ?? [])
        .map(({ fullPath }) => fullPath)
        .filter((path) => path.toLowerCase().startsWith(typed.toLowerCase()) && path !== typed)
        .toSorted()
    : []
}

/** Path field with completions from the device. */
function PathField({ onClose }: { onClose: () => void }) {
  const { place, folder, open } = usePageFiles()
  const [typed, setTyped] = useState(folder)
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const completions = useCompletions(typed)
  useEffect(() => field.current?.select(), [])

  const submit = async (path: string) => {
    if (path.trim() === '') {
      open('')
      onClose()
      return
    }
    try {
      const { deviceId, tenantId } = place
      const answer = await api.deviceFileSystem.pathSegments({ body: { deviceId, targetPath: path }, tenantId })
      if (answer.success && answer.pathExists) {
        open(pathOfSegments(answer.pathSegments, answer.pathSeparator))
        onClose()
      } else {
        setProblem(answer.success ? t.files.noSuchFolder : visibleName(answer.errorMessage ?? t.files.pathRefused))
      }
    } catch (error) {
      setProblem(problemText(error))
    }
  }
  return (
    <Autocomplete
      ref={field}
      className={classes.pathField}
      aria-label={t.files.path}
      placeholder={t.files.pathHint}
      data={completions.slice(0, 200)}
      renderOption={({ option }) => <bdi className="truncate">{visibleName(option.value)}</bdi>}
      // `useCompletions` has filtered the options.
      filter={({ options }) => options}
      value={typed}
      error={problem}
      spellCheck={false}
      autoCapitalize="off"
      data-autofocus
      autoFocus
      onChange={(value) => {
        setTyped(value)
        setProblem(undefined)
      }}
      onOptionSubmit={(value) => setTyped(value + separatorOf(value))}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget !== null) {
          onClose()
        }
      }}
      onKeyDown={(event) => {
        const isPicking = event.currentTarget.getAttribute('aria-activedescendant') !== null
        const [first] = completions
        if (event.key === 'Escape') {
          event.preventDefault()
          onClose()
          focusFiles()
        } else if (event.key === 'Enter' && !isPicking) {
          event.preventDefault()
          void submit(typed).then(focusFiles)
        } else if (event.key === 'Tab' && !event.shiftKey && first !== undefined) {
          event.preventDefault()
          setTyped(first + separatorOf(first))
        }
      }}
    />
  )
}

interface PathBarProps {
  isEditing: boolean
  onEdit: (isEditing: boolean) => void
}

/** Path of the folder on screen as breadcrumbs, or as a field while editing. */
export function PathBar({ isEditing, onEdit }: PathBarProps) {
  const { folder, open } = usePageFiles()
  const end = useRef<HTMLOListElement>(null)
  useEffect(() => {
    end.current?.scrollTo({ left: end.current.scrollWidth })
  }, [folder, isEditing])
  if (isEditing) {
    return <PathField onClose={() => onEdit(false)} />
  }
  const crumbs = [{ name: t.files.drives, path: '' }, ...(folder === '' ? [] : crumbsOf(folder))]
  return (
    <nav className={classes.path} aria-label={t.files.path}>
      <ol ref={end} className={classes.crumbs} onDoubleClick={() => onEdit(true)}>
        {crumbs.map(({ name, path }, index) => (
          <li key={path}>
            {index > 0 && <IconChevronRight size={12} aria-hidden />}
            <button
              type="button"
              aria-current={index === crumbs.length - 1 ? 'page' : undefined}
              onClick={() => {
                open(path, crumbs[index + 1]?.path)
                focusFiles()
              }}
            >
              <bdi>{visibleName(name)}</bdi>
            </button>
          </li>
        ))}
      </ol>
      <IconButton
        label={t.files.editPath}
        hint={t.files.editPathHint}
        icon={<IconPencil size={14} />}
        size="sm"
        onClick={() => onEdit(true)}
      />
    </nav>
  )
}
