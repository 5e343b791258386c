import { Progress, type ProgressProps } from '@mantine/core'

interface ProgressBarProps extends Omit<ProgressProps, 'value' | 'color' | 'aria-label'> {
  label: string
  /** Part that is done, 0 to 1. */
  done: number
}

/** Bar of work in progress; a finished one is green and stands still. */
export const ProgressBar = ({ label, done, animated = false, ...props }: ProgressBarProps) => (
  <Progress
    {...props}
    value={done * 100}
    aria-label={label}
    animated={animated && done < 1}
    color={done < 1 ? 'accent' : 'var(--online-mark)'}
  />
)
