import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import {
  IconArrowBarToDown,
  IconChevronDown,
  IconChevronUp,
  IconDownload,
  IconLetterCase,
  IconRegex,
  IconSearch,
  IconTextWrap,
  type Icon,
} from '@tabler/icons-react'
import type { RefObject } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import * as t from '../../texts.ts'
import type { SearchWords } from './log-search.ts'
import classes from './logs.module.css'

interface LogSearchProps {
  field: RefObject<HTMLInputElement | null>
  words: SearchWords
  onWords: (words: SearchWords) => void
  /** Result of the search. */
  outcome: string
  hasMatches: boolean
  onStep: (step: 1 | -1) => void
  onLeave: () => void
}

interface LogToolsProps {
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
  isWrapped: boolean
  onWrap: (isWrapped: boolean) => void
  onEnd: () => void
  onDownload: () => void
}

interface SwitchProps {
  icon: Icon
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

const Switch = ({ icon: Icon, label, isOn, onChange }: SwitchProps) => (
  <IconButton
    label={label}
    icon={<Icon size={16} stroke={1.6} />}
    size={28}
    aria-pressed={isOn}
    variant={isOn ? 'light' : 'subtle'}
    color={isOn ? 'accent' : 'gray'}
    onClick={() => onChange(!isOn)}
  />
)

function LogSearch({ field, words, onWords, outcome, hasMatches, onStep, onLeave }: LogSearchProps) {
  return (
    <>
      <TextInput
        ref={field}
        className={classes.search}
        size="xs"
        aria-label={t.logs.search}
        placeholder={t.logs.search}
        leftSection={<IconSearch size={14} stroke={1.6} />}
        value={words.text}
        onChange={(event) => onWords({ ...words, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            onStep(event.shiftKey ? -1 : 1)
          } else if (event.key === 'Escape') {
            onLeave()
          }
        }}
      />
      <Switch
        icon={IconLetterCase}
        label={t.logs.matchCase}
        isOn={words.isCase}
        onChange={(isCase) => onWords({ ...words, isCase })}
      />
      <Switch
        icon={IconRegex}
        label={t.logs.pattern}
        isOn={words.isPattern}
        onChange={(isPattern) => onWords({ ...words, isPattern })}
      />
      <ActionIcon size={28} aria-label={t.logs.previous} disabled={!hasMatches} onClick={() => onStep(-1)}>
        <IconChevronUp size={16} stroke={1.6} />
      </ActionIcon>
      <ActionIcon size={28} aria-label={t.logs.next} disabled={!hasMatches} onClick={() => onStep(1)}>
        <IconChevronDown size={16} stroke={1.6} />
      </ActionIcon>
      <span className={`${classes.outcome} small muted tabular`} role="status">
        {outcome}
      </span>
    </>
  )
}

function LogTools({ isFollowing, onFollow, isWrapped, onWrap, onEnd, onDownload }: LogToolsProps) {
  return (
    <span className={classes.tools}>
      <Tooltip label={t.logs.followHint}>
        <Button
          size="compact-sm"
          variant={isFollowing ? 'light' : 'subtle'}
          color={isFollowing ? undefined : 'gray'}
          aria-pressed={isFollowing}
          onClick={() => onFollow(!isFollowing)}
        >
          {t.logs.follow}
        </Button>
      </Tooltip>
      <Switch icon={IconTextWrap} label={t.logs.wrap} isOn={isWrapped} onChange={onWrap} />
      <IconButton label={t.logs.toEnd} icon={<IconArrowBarToDown size={16} stroke={1.6} />} size={28} onClick={onEnd} />
      <IconButton
        label={t.logs.download}
        icon={<IconDownload size={16} stroke={1.6} />}
        size={28}
        onClick={onDownload}
      />
    </span>
  )
}

/** Toolbar of the log viewer. */
export const LogToolbar = ({ search, tools }: { search: LogSearchProps; tools: LogToolsProps }) => (
  <div className={classes.toolbar} role="toolbar" aria-label={t.logs.toolbar}>
    <LogSearch {...search} />
    <LogTools {...tools} />
  </div>
)
