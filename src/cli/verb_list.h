/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs of the `maniple` command, in the order of its help: CLI_VERB(FUNCTION, name, arguments, what it does). An
 * includer of this list defines CLI_VERB for its purpose. docs/meson.build installs a manual page for each name, and
 * docs/manuals.py writes what the verb does into it.
 */
CLI_VERB(cli_verb_run, "run", "[OPTIONS] INPUT", "simulate a traced program or a CUDA program and print its statistics")
CLI_VERB(cli_verb_machines, "machines", "", "list the built-in machines")
CLI_VERB(cli_verb_machine, "machine", "show NAME|FILE", "print a machine with every value that it leaves to a default")
CLI_VERB(cli_verb_models, "models", "[NAME]", "describe the models: parameters, ports, statistics, state")
CLI_VERB(cli_verb_import, "import", "GPGPUSIM.CONFIG",
         "make a machine file from a configuration of GPGPU-Sim or Accel-Sim")
CLI_VERB(cli_verb_convert, "convert", "INPUT -o FILE.mtrace",
         "pack a trace: a tenth of its size, and read many times faster")
CLI_VERB(cli_verb_trace, "trace", "info FILE | record", "say what a trace holds, or record that of a CUDA program")
CLI_VERB(cli_verb_compare, "compare", "A B", "compare the results of two runs: speed and every statistic")
CLI_VERB(cli_verb_report, "report", "RUN... [--html FILE]", "say what limits a run, and by which evidence")
CLI_VERB(cli_verb_merge, "merge", "RUN... -o FILE", "join the databases of several runs to one")
CLI_VERB(cli_verb_correlate, "correlate", "LIST -m FILE -o DIR", "compare runs of a list with measurements of silicon")
CLI_VERB(cli_verb_sweep, "sweep", "FILE -o DIR", "make the runs of a plan that are not there yet, and sum them up")
CLI_VERB(cli_verb_profile, "profile", "MODEL -o DIR",
         "simulate a model's kernels, and write their times for other simulators")
CLI_VERB(cli_verb_power, "power", "[--limit WATTS] -- RUN", "find the clock that a power limit leaves")
CLI_VERB(cli_verb_timeline, "timeline", "RUN -o FILE", "write a run over time for Perfetto")
CLI_VERB(cli_verb_plan, "plan", "DIR -o FILE", "choose launches to simulate, for an estimate of all")
CLI_VERB(cli_verb_scaling, "scaling", "DIR [RUN...]",
         "predict what a recorded run would take on more threads or processes")
CLI_VERB(cli_verb_disassemble, "disassemble", "FILE",
         "print the machine code of a cubin, a fat binary or a CUDA program")
CLI_VERB(cli_verb_app, "app", "list|show|run NAME", "run one of our own GPU workloads, which check their results")
CLI_VERB(cli_verb_serve, "serve", "--socket PATH --memory FILE",
         "offer simulated coprocessors to a guest: a program under QEMU or on this host")
CLI_VERB(cli_verb_system, "system", "[OPTIONS] -- PROGRAM",
         "run a program for Linux on ARM, in QEMU, beside coprocessors that it offloads to")
