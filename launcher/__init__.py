"""What start.py does once a Python that is new enough runs it.

Nothing is installed when this begins, so it stands on the standard library alone.

command_line     which command was meant
making_venv      .venv, made where it is missing or broken
lessons          the lessons in JupyterLab, and the playground beside them
copies           the learner's own notebooks, and what of them may be renewed
cells            what of a notebook is copied, and what of it a learner can see
own_agent        my_agent.py, and which names a newer one has
package_to_read  the package's files, laid where a lesson can link to them
jupyter          JupyterLab as a classroom, with its own settings and style
running          which JupyterLab of this folder is open already
page             the playground: built, and handed out
node             the Node that builds it
testing          what the tests stand on, and their two lanes
installing       pip, and when it has nothing to do
requirements     what pyproject.toml asks for, and what of it is missing
constraints      the versions that were tested
inherited        which of the caller's settings are passed on
processes        the processes we start, so that none outlives us
alone            one start.py at a time
ports            a port that is free
failures         what went wrong, in a sentence, and the words below it
place            where everything is
"""
