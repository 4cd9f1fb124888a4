// cspell:ignore zfunc
import { Argument, type Command } from 'commander';
import { completionScript, shells, type Shell } from '../views/completion/completion-script.js';
import { addExamples } from './shared/command-line.js';
import { describeCommands } from './shared/describe-commands.js';

export function registerCompletion(program: Command): void {
  const command = program
    .command('completion')
    .description('what your shell reads to complete commands, options and runs')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => {
      console.log(completionScript(shell, describeCommands(program)));
    });
  addExamples(command, [
    "echo 'source <(turnwise completion bash)' >> ~/.bashrc",
    'turnwise completion zsh > ~/.zfunc/_turnwise',
    'turnwise completion fish > ~/.config/fish/completions/turnwise.fish',
  ]);
}
